//! Flags of a sample: unusual, but readable.

/// A remark of normalizing: counted, shown, never an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flag {
    /// A call text is there, but no call could be read from it; it is judged as text.
    RawToolCall,
    /// A call's arguments are not a JSON object.
    MalformedArguments,
    /// The arguments were JSON inside a JSON string inside a JSON string.
    DoubleEncoded,
    /// The arguments were a Python literal instead of JSON.
    PythonRepr,
    /// The arguments name a parameter twice; the last one counts.
    DuplicateArgument,
    /// A value in call syntax is an expression; its source text is used as the value.
    NonLiteral,
    /// Positional arguments, named by the order of the definition's parameters.
    PositionalMapped,
    /// Positional arguments without a definition: `$0`, `$1`, …
    Positional,
    /// A plain string where an object of arguments belongs.
    StringToolInput,
    /// A custom tool takes free text, not JSON.
    CustomToolInput,
    /// Arguments given as XML elements.
    XmlArguments,
    /// The arguments stood beside the tool's name; its definition has parameters of these names.
    FlatArguments,
    /// A call that the provider runs itself was left out.
    ServerToolSkipped,
    /// A tool that the provider runs itself is among the definitions.
    ServerTool,
    /// No definitions are known.
    NoDefinitions,
    /// The definitions are prose.
    DefinitionsFreeText,
    /// A definition cannot be read; the others were.
    UnreadableDefinition,
    /// A definition does not say which parameters the tool has; its calls' parameters are not checked.
    UnknownParameters,
    /// Two definitions have one name.
    DuplicateDefinition,
    /// Images, audio or files became placeholders.
    NonTextContent,
    /// The log holds several answers; the first is judged.
    MultipleChoices,
    /// The conversation held the judged turn; it and what came after it was left out.
    JudgedTurnCut,
    /// The conversation ends with an answer that is not the judged turn.
    JudgedTurnNotFound,
    /// The conversation beside the question ends with the user, and holds the judged calls before: they were taken for a new turn that repeats them.
    JudgedTurnAmbiguous,
    /// A message of the conversation has a role that is not known; it is shown as the system's.
    UnknownRole,
    /// A result in the conversation belongs to no call in it.
    OrphanResult,
    /// Calls of the turn have no result, though the transcript goes on.
    MissingResult,
    /// The log does not contain the message right before; the previous message in the file was used instead.
    MissingParent,
    /// The log only refers to the earlier conversation, which the provider keeps or which is in an unreadable form.
    HistoryElsewhere,
    /// A mark replaces something in the earlier conversation.
    HiddenContent,
    /// The request did not leave it to the model whether and what to call.
    ToolChoiceLimited,
    /// Two calls of the transcript have one id.
    RepeatedCallId,
    /// Another transcript of the input has the same id and says something else; this one's id has a number behind it, or is the first.
    RepeatedTranscriptId,
    /// The arguments were a list of keys and values; it was read as an object.
    ArgumentsAsPairs,
    /// The answer was cut, blocked or broken off after whole calls; these are judged, and others may be missing.
    UnfinishedAnswer,
    /// A call has no arguments in the log, not even empty ones; it was taken for a call without any.
    ArgumentsNotRecorded,
    /// The conversation beside the question may not lead to it: the user's last words there are others.
    HistoryAmbiguous,
    /// The conversation beside the question cannot be read; the judge is not shown it.
    HistoryLeftOut,
    /// A table's column of structs holds a text where the tool takes none: a field has one type, so it may have been a number.
    TextInStruct,
    /// The record says what is right of a conversation with several judged turns; none of them gets it as its gold.
    GoldOfSeveralTurns,
    /// A text ends where a log's length limit probably cut it.
    MaybeTruncated,
}

impl Flag {
    /// As the column `flags` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Flag::RawToolCall => "raw_tool_call",
            Flag::MalformedArguments => "malformed_arguments",
            Flag::DoubleEncoded => "double_encoded",
            Flag::PythonRepr => "python_repr",
            Flag::DuplicateArgument => "duplicate_argument",
            Flag::NonLiteral => "non_literal",
            Flag::PositionalMapped => "positional_mapped",
            Flag::Positional => "positional",
            Flag::StringToolInput => "string_tool_input",
            Flag::CustomToolInput => "custom_tool_input",
            Flag::XmlArguments => "xml_arguments",
            Flag::FlatArguments => "flat_arguments",
            Flag::ServerToolSkipped => "server_tool_skipped",
            Flag::ServerTool => "server_tool",
            Flag::NoDefinitions => "no_definitions",
            Flag::DefinitionsFreeText => "definitions_free_text",
            Flag::UnreadableDefinition => "unreadable_definition",
            Flag::UnknownParameters => "unknown_parameters",
            Flag::DuplicateDefinition => "duplicate_definition",
            Flag::NonTextContent => "non_text_content",
            Flag::MultipleChoices => "multiple_choices",
            Flag::JudgedTurnCut => "judged_turn_cut",
            Flag::JudgedTurnNotFound => "judged_turn_not_found",
            Flag::JudgedTurnAmbiguous => "judged_turn_ambiguous",
            Flag::UnknownRole => "unknown_role",
            Flag::OrphanResult => "orphan_result",
            Flag::MissingResult => "missing_result",
            Flag::MissingParent => "missing_parent",
            Flag::HistoryElsewhere => "history_elsewhere",
            Flag::HiddenContent => "hidden_content",
            Flag::ToolChoiceLimited => "tool_choice_limited",
            Flag::RepeatedCallId => "repeated_call_id",
            Flag::RepeatedTranscriptId => "repeated_transcript_id",
            Flag::ArgumentsAsPairs => "arguments_as_pairs",
            Flag::UnfinishedAnswer => "unfinished_answer",
            Flag::ArgumentsNotRecorded => "arguments_not_recorded",
            Flag::HistoryAmbiguous => "history_ambiguous",
            Flag::HistoryLeftOut => "history_left_out",
            Flag::TextInStruct => "text_in_struct",
            Flag::GoldOfSeveralTurns => "gold_of_several_turns",
            Flag::MaybeTruncated => "maybe_truncated",
        }
    }
}
