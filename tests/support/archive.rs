//! Zip archives as no writer would write them: any compression, wrong checksums, members of any size.

/// One member, packed already.
pub struct Member {
    pub name: &'static str,
    /// 0 is stored, 8 deflated, 93 zstd.
    pub method: u16,
    pub packed: Vec<u8>,
    pub crc: u32,
    /// Unpacked.
    pub size: u32,
}

impl Member {
    pub fn stored(name: &'static str, content: &str) -> Member {
        Member {
            name,
            method: 0,
            packed: content.into(),
            crc: crc(content.as_bytes()),
            size: content.len() as u32,
        }
    }

    /// Packed with zstd, in frames of their own for each half.
    pub fn zstd(name: &'static str, content: &str) -> Member {
        let (first, second) = content.as_bytes().split_at(content.len() / 2);
        let mut packed = zstd::encode_all(first, 1).unwrap();
        packed.extend(zstd::encode_all(second, 1).unwrap());
        Member { method: 93, packed, ..Member::stored(name, content) }
    }

    /// `size` bytes of white space, packed.
    pub fn bomb(name: &'static str, size: usize) -> Member {
        use std::io::Write;
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        let mut sum = flate2::Crc::new();
        let megabyte = vec![b' '; 1 << 20];
        for _ in 0..size >> 20 {
            encoder.write_all(&megabyte).unwrap();
            sum.update(&megabyte);
        }
        Member { name, method: 8, packed: encoder.finish().unwrap(), crc: sum.sum(), size: size as u32 }
    }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// The archive of these members.
pub fn zip(members: &[Member]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        let offset = archive.len() as u32;
        let mut head = Vec::new();
        head.extend_from_slice(&20_u16.to_le_bytes());
        head.extend_from_slice(&[0, 0]);
        head.extend_from_slice(&member.method.to_le_bytes());
        head.extend_from_slice(&[0, 0, 0x21, 0]);
        for number in [member.crc, member.packed.len() as u32, member.size] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head.extend_from_slice(&(member.name.len() as u16).to_le_bytes());
        head.extend_from_slice(&[0, 0]);
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&head);
        archive.extend_from_slice(member.name.as_bytes());
        archive.extend_from_slice(&member.packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&head);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(member.name.as_bytes());
    }
    let (start, size, count) = (archive.len() as u32, directory.len() as u32, members.len() as u16);
    archive.extend(directory);
    archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&size.to_le_bytes());
    archive.extend_from_slice(&start.to_le_bytes());
    archive.extend_from_slice(&[0, 0]);
    archive
}
