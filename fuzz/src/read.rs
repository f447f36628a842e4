//! What of the readers' room reads texts and archives, without what reads typed tables.

#[path = "../../src/read/archive.rs"]
mod archive;
#[path = "../../src/read/csv_file.rs"]
mod csv_file;
#[path = "../../src/read/error.rs"]
mod error;
#[path = "../../src/read/folder.rs"]
mod folder;
#[path = "../../src/read/handle.rs"]
mod handle;
#[path = "../../src/read/input.rs"]
mod input;
#[path = "../../src/read/laws.rs"]
pub mod laws;
#[path = "../../src/read/spool.rs"]
mod spool;
#[path = "../../src/read/stream.rs"]
mod stream;
#[path = "../../src/read/text.rs"]
mod text;
#[path = "../../src/read/texts.rs"]
mod texts;

use error::ReadError;
use input::Input;

const SLICE_ROWS: usize = 2048;
const SLICE_BYTES: usize = 4 << 20;

type Slices = Box<dyn Iterator<Item = Result<crate::table::Batch, ReadError>> + Send>;
