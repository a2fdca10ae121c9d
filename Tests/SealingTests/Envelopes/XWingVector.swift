import TestSupport

/// One of the vectors of draft-connolly-cfrg-xwing-kem-06, as its appendix names the fields.
struct XWingVector: Decodable {
    let seed: String
    let ss: String
    let pk: String
    let ct: String

    static func load() throws -> [XWingVector] {
        try PublishedVectors.load([XWingVector].self, "xwing/xwing-draft06.json")
    }
}
