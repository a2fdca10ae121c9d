import KairanInterface

/// The file `.kairan-folder` in a folder that is kept in step: it proves that the folder is the one, and not the place where its disk is mounted.
package struct FolderMarker: Sendable, Hashable {
    /// The name of the file.
    package static let fileName = ".kairan-folder"
    private static let format = "kairan-folder-1"
    private static let idDigitCount = 32

    /// The id of the zone.
    package var zone: String
    /// A random id of the folder, in hexadecimal digits.
    package var id: String

    /// Names a folder.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, id: String) { (self.zone, self.id) = (zone, id) }

    /// Names a folder by a new id.
    /// - Parameters:
    ///   - zone: The id of the zone.
    ///   - generator: For the folder's id.
    package init(zone: String, using generator: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in
            let text = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: Self.idDigitCount / 2 - text.count) + text
        }
        self.init(zone: zone, id: digits.joined())
    }

    /// Reads the file; `nil` where it is none of this form.
    /// - Parameter bytes: The content of the file.
    package init?(_ bytes: [UInt8]) {
        let json: JSONValue
        do {
            json = try JSONParser.parse(bytes)
        } catch {
            // The caller says which file it is.
            return nil
        }
        guard json["format"]?.text == Self.format, let zone = json["zone"]?.text, let id = json["id"]?.text,
            id.utf8.count == Self.idDigitCount,
            id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.init(zone: zone, id: id)
    }

    /// The content of the file.
    package var encoded: [UInt8] {
        let json: JSONValue = ["format": .string(Self.format), "zone": .string(zone), "id": .string(id)]
        return json.encoded + [UInt8(ascii: "\n")]
    }
}
