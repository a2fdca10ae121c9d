import TestSupport

/// One of the vectors that RFC 9180 points to, as its appendix A names the fields.
struct HPKEVector: Decodable {
    struct Encryption: Decodable {
        let aad: String
        let ct: String
        let nonce: String
        let pt: String
    }

    struct Export: Decodable {
        let exporter_context: String
        let L: Int
        let exported_value: String
    }

    /// 0 base, 1 with a pre-shared key, 2 authenticated.
    let mode: Int
    let aead_id: Int
    let info: String
    let skRm: String
    let pkRm: String
    let pkSm: String?
    let psk: String?
    let psk_id: String?
    let enc: String
    let key: String
    let base_nonce: String
    let encryptions: [Encryption]
    let exports: [Export]

    static func load() throws -> [HPKEVector] {
        try PublishedVectors.load([HPKEVector].self, "hpke/hpke-x25519-sha256.json")
    }
}
