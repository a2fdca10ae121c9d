import TestSupport

/// Wycheproof's vectors of ML-KEM-768, from the folder of published test vectors beside the checkout.
struct EncapsulationVectors: Decodable {
    struct Group: Decodable {
        let tests: [Test]
    }

    /// A test vector; the fields that it lacks depend on the file and on the mistake that it contains.
    struct Test: Decodable {
        let tcId: Int
        let seed: String?
        let ek: String?
        let c: String?
        let K: String?
        let result: String

        var isValid: Bool { result == "valid" }
    }

    private let testGroups: [Group]

    var tests: [Test] { testGroups.flatMap(\.tests) }

    /// Reads one file.
    /// - Returns: The contents.
    static func load(_ name: String) throws -> EncapsulationVectors {
        try PublishedVectors.load(EncapsulationVectors.self, "wycheproof/\(name).json")
    }
}
