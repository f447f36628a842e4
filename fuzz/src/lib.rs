//! What the fuzz targets share. The laws that they check are in `tests/laws` and in the rooms of the product.

pub mod mutator;

/// Statuses of responses, of which a byte of the input chooses one.
pub const STATUSES: [u16; 16] =
    [200, 201, 302, 400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 503, 529];
