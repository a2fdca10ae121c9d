import Foundation
import Wire

/// Secret bytes that must be found nowhere, in no form in which a program might write them.
struct Canary: Sendable {
    /// The secret's name, for the failure's text.
    let name: String
    /// The only file that may hold it, by its path in the state directory.
    let home: String?
    private let needles: [Data]

    /// A secret.
    /// - Parameters:
    ///   - name: The secret's name.
    ///   - bytes: At least 16 bytes.
    ///   - home: The file that holds it when it is not sealed.
    init(_ name: String, _ bytes: [UInt8], home: String? = nil) {
        self.name = name
        self.home = home
        // Half of a secret is looked for as well as the whole: a part that leaks is a leak.
        let parts = [Array(bytes.prefix(16)), Array(bytes.suffix(16))]
        // Three bytes make four letters of base64, five make eight of base32; the bytes before shift them.
        let base64 = (0..<3).map { shift in
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
            return String(text.dropFirst(4).prefix(16))
        }
        let texts =
            parts.map { Hexadecimal.encode($0) } + base64 + [String(Base32.encode(Array(bytes.prefix(15))))]
            // As Swift prints an array of bytes.
            + [parts[0].map(String.init).joined(separator: ", ")]
        needles =
            parts.map { Data($0) } + texts.map { Data($0.utf8) }
            + texts.flatMap { [Data($0.uppercased().utf8), Data($0.lowercased().utf8)] }
    }

    /// A secret text, such as a passphrase.
    init(_ name: String, text: String, home: String? = nil) {
        self.init(name, Array(text.utf8), home: home)
    }

    /// Returns whether the secret is in the data.
    func isIn(_ haystack: Data) -> Bool { needles.contains { haystack.range(of: $0) != nil } }

    /// Returns whether the secret is in the text.
    func isIn(_ text: String) -> Bool { isIn(Data(text.utf8)) }
}

extension [Canary] {
    /// Returns the places where canaries were found that must not be there.
    /// - Parameters:
    ///   - directory: A state directory; all of its files are searched.
    ///   - isSealed: Whether no file may hold any.
    ///   - texts: Other texts to search, by name.
    /// - Returns: The findings, in words.
    /// - Throws: An error of reading a file.
    func leaks(in directory: String, isSealed: Bool, texts: [String: String] = [:]) throws -> [String] {
        var found: [String] = []
        let paths = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        for path in paths {
            let url = URL(fileURLWithPath: directory + "/" + path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let content = try Data(contentsOf: url)
            for canary in self where canary.isIn(content) && (isSealed || canary.home != path) {
                found.append("\(canary.name) in \(path)")
            }
        }
        for (name, text) in texts {
            found += filter { $0.isIn(text) }.map { "\($0.name) in \(name)" }
        }
        return found.sorted()
    }
}
