package import Wire

/// A device's identifier in the forms that people see.
package enum DeviceCode {
    private static let form = CheckedGroups(byteCount: Digest32.byteCount, dataCountPerGroup: 4)

    /// The identifier in thirteen groups of five characters, each with a check character.
    /// - Parameter device: The device.
    /// - Returns: 65 characters and twelve dashes.
    package static func text(for device: DeviceID) -> String {
        form.text(for: device.bytes)
    }

    /// Reads a text of ``text(for:)``; case, spaces and dashes do not matter.
    /// - Parameter typed: The text that a person typed or pasted.
    /// - Returns: The device.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    package static func device(from typed: String) throws(CheckedGroupsError) -> DeviceID {
        guard let device = DeviceID(try form.bytes(from: typed)) else {
            throw .wrongLength(expected: form.characterCount, found: typed.count)
        }
        return device
    }
}
