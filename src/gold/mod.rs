//! Calls of which it is known whether they are right: positives from accepted answers, typed negatives, benign edits.
