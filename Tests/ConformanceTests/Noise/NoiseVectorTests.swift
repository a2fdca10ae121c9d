import TestSupport
import Testing

@Suite struct NoiseVectorTests {
    /// File, entries in it, entries that apply: the other four of the fallback file use an obsolete pre-shared key scheme.
    private static let files = [
        ("cacophony", 96, 96),
        ("snow-multipsk", 44, 44),
        ("noise-c-basic", 24, 24),
        ("noise-c-fallback", 8, 4),
        ("xxpsk0-generated", 4, 4),
    ]

    @Test(arguments: files)
    func `every Noise vector gives the published bytes`(_ file: String, entries: Int, applicable: Int) throws {
        let contents = try PublishedVectors.load(NoiseVectorFile.self, "noise/\(file).json")
        #expect(contents.vectors.count == entries)
        var played = 0
        var ours: [String: Int] = [:]
        for vector in contents.vectors where !vector.protocolName.hasPrefix("NoisePSK_") {
            if try NoiseRunner.play(vector) {
                played += 1
                ours[vector.protocolName, default: 0] += 1
            }
        }
        #expect(played == applicable)
        // The channel's own protocols are among them.
        if file == "snow-multipsk" { #expect(ours["Noise_XXpsk0+psk3_25519_ChaChaPoly_BLAKE2b"] == 1) }
        if file == "xxpsk0-generated" { #expect(ours["Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"] == 1) }
        print("noise/\(file): \(played) of \(entries) vectors played")
    }
}
