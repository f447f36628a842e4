//! Whether a store holds any reply for the rows that `resnap` reads again: without one there is nothing to write.

use crate::domain::Status;
use crate::run::settings::SettingsError;
use crate::run::{Panel, Row, RunError, Watch};
use crate::table::Batch;
use crate::write::Labelled;

/// Counts the rows for which a model judge's reply is stored. A table of nothing but rows that were not asked would take the place of
/// whatever labels were there.
pub(super) struct StoredWatch {
    members: Vec<Stored>,
    place: String,
}

/// Of one member of the panel.
struct Stored {
    judge: String,
    template: String,
    /// Rows that it was to be asked about, and was not.
    unasked: u64,
    /// Whether any reply is stored.
    any: bool,
    /// Whether its replies are stored ones.
    is_model: bool,
}

impl StoredWatch {
    pub(super) fn new(panel: &Panel) -> StoredWatch {
        let member = |member: &crate::run::Member| Stored {
            judge: member.judge.clone(),
            template: member.criterion.clone(),
            unasked: 0,
            is_model: member.judge_task().is_some(),
            // One without replies judges again.
            any: member.judge_task().is_none(),
        };
        StoredWatch {
            members: panel.members.iter().map(member).collect(),
            place: panel.store.as_ref().map(|store| store.place().to_string()).unwrap_or_default(),
        }
    }
}

impl Watch for StoredWatch {
    fn labelled(&mut self, _: &Batch, _: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        for (member, labels) in self.members.iter_mut().zip(labels) {
            for labelled in labels {
                let status = labelled.verdict.status();
                let is_unasked = status == Status::NotAsked;
                member.unasked += u64::from(is_unasked);
                member.any |= labelled.reply.is_some()
                    || !(is_unasked || status == Status::InvalidRow || labelled.is_of_first);
            }
        }
        Ok(())
    }

    fn accepts(&self) -> Result<(), RunError> {
        // What one judge has is worth a table, and what another lacks is told row by row.
        match self.members.iter().find(|member| !member.any && member.unasked > 0) {
            _ if self.members.iter().any(|member| member.is_model && member.any) => Ok(()),
            None => Ok(()),
            Some(Stored { judge, template, .. }) => Err(SettingsError::NothingStored {
                judge: judge.clone(),
                template: template.clone(),
                store: self.place.clone(),
            }
            .into()),
        }
    }
}
