//! Whom encrypted connections trust: the system's authorities, given ones, and a given certificate that is the server's own.
//!
//! `openssl req -x509` marks the certificates that it makes as those of an authority, and a server that uses such a one was refused
//! even by users who named exactly this certificate. Who names a certificate trusts it, as `curl --cacert` does; its dates and its
//! name must hold all the same, and the server proves that it has the key.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// The certificates in a text of PEM, which may be none.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(|error| format!("{error}"))
}

/// Settings for connections that trust `given` certificates too; `None` where the system's are enough.
pub(super) fn config(given: &[CertificateDer<'static>]) -> Result<Option<ClientConfig>, String> {
    if given.is_empty() {
        return Ok(None);
    }
    let provider = Arc::new(ring::default_provider());
    let system = Verifier::new_with_extra_roots(given.iter().cloned(), Arc::clone(&provider));
    let verifier = Trust { others: system.map_err(|error| error.to_string())?, own: given.to_vec() };
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| error.to_string())?.dangerous();
    let mut config = config.with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(config))
}

#[derive(Debug)]
struct Trust {
    /// Who trusts authorities.
    others: Verifier,
    /// Certificates that a server may have for its own.
    own: Vec<CertificateDer<'static>>,
}

/// Whether a certificate was refused for being an authority's. Its dates have been checked before that.
fn is_authority(error: &Error) -> bool {
    // The library that checks says so in a type of its own, which only shows itself.
    matches!(error, Error::InvalidCertificate(CertificateError::Other(why)) if format!("{why:?}").contains("CaUsedAsEndEntity"))
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.others.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(error) if is_authority(&error) && self.own.iter().any(|own| own == certificate) => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.others.supported_verify_schemes()
    }
}
