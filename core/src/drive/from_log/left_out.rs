//! Why something logged is not a case.

/// Why a row or a conversation is not a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeftOut {
    /// No turn can be read from the row.
    UnreadableRow,
    /// It has no label, though others have.
    NotReviewed,
    /// Its label says neither that it is right nor that it is wrong.
    UnclearLabel,
    /// A call cannot be read, or its arguments are not a JSON object.
    UnreadableCall,
    /// The corrected calls cannot be read.
    UnreadableCorrection,
    /// A corrected call has a list where its tool takes none, such as BFCL's accepted values.
    UnfitList,
    /// No tools are known.
    NoToolDefinitions,
    /// Two tools of one name have different definitions, or a schema cannot be used.
    UnusableDefinitions,
    /// A call names a tool that is not among the definitions.
    ToolNotDefined,
    /// An image, audio or a file is among the messages.
    NonTextContent,
    /// A system message comes after the beginning.
    LaterSystemMessage,
    /// A call has no result, without which no provider takes the conversation.
    MissingResult,
    /// A result belongs to no call.
    OrphanResult,
    /// The conversation does not end with the user or with results, so it is not the agent's turn.
    NotTheAgentsTurn,
    /// The assistant speaks before the user, which an episode cannot replay.
    AssistantFirst,
    /// A turn of the conversation was not reviewed, or is not among the rows.
    TurnNotReviewed,
    /// The tools on offer change within the conversation.
    ToolsChange,
    /// The wrong call has an argument that is to be ignored; a ban compares all of them.
    VolatileBan,
    /// Nothing is expected, so the case would pass whatever happens.
    NothingExpected,
    /// The suite file would say something else than the log.
    Changed,
    /// The reader of suite files refuses it for another reason.
    Refused,
}

impl LeftOut {
    /// As `--json` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            LeftOut::UnreadableRow => "unreadable_row",
            LeftOut::NotReviewed => "not_reviewed",
            LeftOut::UnclearLabel => "unclear_label",
            LeftOut::UnreadableCall => "unreadable_call",
            LeftOut::UnreadableCorrection => "unreadable_correction",
            LeftOut::UnfitList => "unfit_list",
            LeftOut::NoToolDefinitions => "no_tool_definitions",
            LeftOut::UnusableDefinitions => "unusable_definitions",
            LeftOut::ToolNotDefined => "tool_not_defined",
            LeftOut::NonTextContent => "non_text_content",
            LeftOut::LaterSystemMessage => "later_system_message",
            LeftOut::MissingResult => "missing_result",
            LeftOut::OrphanResult => "orphan_result",
            LeftOut::NotTheAgentsTurn => "not_the_agents_turn",
            LeftOut::AssistantFirst => "assistant_first",
            LeftOut::TurnNotReviewed => "turn_not_reviewed",
            LeftOut::ToolsChange => "tools_change",
            LeftOut::VolatileBan => "volatile_ban",
            LeftOut::NothingExpected => "nothing_expected",
            LeftOut::Changed => "changed",
            LeftOut::Refused => "refused",
        }
    }

    /// In words, as the summary shows it.
    pub fn in_words(self) -> &'static str {
        match self {
            LeftOut::UnreadableRow => "the row cannot be read",
            LeftOut::NotReviewed => "the row has no label",
            LeftOut::UnclearLabel => "the label is neither correct nor incorrect",
            LeftOut::UnreadableCall => "a call cannot be read",
            LeftOut::UnreadableCorrection => "the corrected calls cannot be read",
            LeftOut::UnfitList => {
                "a corrected call has a list where the tool takes none: write the value itself"
            }
            LeftOut::NoToolDefinitions => "there are no tool definitions",
            LeftOut::UnusableDefinitions => "the tool definitions cannot be used",
            LeftOut::ToolNotDefined => "a call names a tool that is not defined",
            LeftOut::NonTextContent => "a message holds something other than text",
            LeftOut::LaterSystemMessage => "a system message comes after the beginning",
            LeftOut::MissingResult => "a call has no result",
            LeftOut::OrphanResult => "a tool result belongs to no call",
            LeftOut::NotTheAgentsTurn => "the messages end with the assistant",
            LeftOut::AssistantFirst => "the assistant speaks before the user",
            LeftOut::TurnNotReviewed => "a turn of the conversation is not reviewed",
            LeftOut::ToolsChange => "the tools change within the conversation",
            LeftOut::VolatileBan => "the wrong call has an ignored argument",
            LeftOut::NothingExpected => "nothing is expected",
            LeftOut::Changed => "the suite would not say what the log says",
            LeftOut::Refused => "the suite reader refuses it",
        }
    }
}

/// How often something was left out for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOutCount {
    /// How often.
    pub count: u64,
    /// More about the first of them, where there is more to say; texts of the log may stand in it.
    pub example: Option<String>,
}
