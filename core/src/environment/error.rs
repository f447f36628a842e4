//! The exceptions of tools.

use std::fmt;

/// Why a call has no result, in the words of the exception that Python raises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Arguments that do not fit their fields.
    #[error(transparent)]
    InvalidArguments(InvalidArguments),
    /// A bare text for a tool without fields.
    #[error("")]
    NoField,
    /// A bare text for a function of a number.
    #[error("must be real number, not str")]
    TextForNumber,
    /// An integer beyond the range of floats.
    #[error("int too large to convert to float")]
    IntegerTooLarge,
    /// A division by zero.
    #[error("float division by zero")]
    DivisionByZero,
    /// A negative power of zero.
    #[error("0.0 cannot be raised to a negative power")]
    NegativePowerOfZero,
    /// A function that has no value there: the logarithm of nothing, the sine of infinity.
    #[error("math domain error")]
    Domain,
    /// A power beyond the range of floats.
    #[error("(34, 'Numerical result out of range')")]
    OutOfRange,
    /// The same of a complex power.
    #[error("complex exponentiation")]
    ComplexOutOfRange,
}

impl ToolError {
    /// The name of Python's exception.
    pub fn exception(&self) -> &'static str {
        match self {
            ToolError::InvalidArguments(_) => "ValidationError",
            ToolError::NoField => "StopIteration",
            ToolError::TextForNumber => "TypeError",
            ToolError::DivisionByZero | ToolError::NegativePowerOfZero => "ZeroDivisionError",
            ToolError::Domain => "ValueError",
            ToolError::IntegerTooLarge | ToolError::OutOfRange | ToolError::ComplexOutOfRange => {
                "OverflowError"
            }
        }
    }
}

/// All that is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidArguments {
    /// The tool that was called.
    pub tool: &'static str,
    /// One for each field that has no value, in the order of the fields.
    pub errors: Vec<FieldError>,
}

/// What is wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldError {
    /// The name of the argument.
    pub field: &'static str,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// It is null.
    Null,
    /// It is nothing that can be read as an integer.
    NotInteger,
    /// It is nothing that can be read as a number.
    NotNumber,
    /// It is a list or an object where a text is wanted.
    NotText,
}

impl Fault {
    /// The peer's words.
    pub fn message(self) -> &'static str {
        match self {
            Fault::Missing => "field required",
            Fault::Null => "none is not an allowed value",
            Fault::NotInteger => "value is not a valid integer",
            Fault::NotNumber => "value is not a valid float",
            Fault::NotText => "str type expected",
        }
    }

    /// The peer's code.
    pub fn code(self) -> &'static str {
        match self {
            Fault::Missing => "value_error.missing",
            Fault::Null => "type_error.none.not_allowed",
            Fault::NotInteger => "type_error.integer",
            Fault::NotNumber => "type_error.float",
            Fault::NotText => "type_error.str",
        }
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.errors.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} validation error{plural} for {}Schema", self.tool)?;
        for FieldError { field, fault } in &self.errors {
            write!(f, "\n{field}\n  {} (type={})", fault.message(), fault.code())?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidArguments {}
