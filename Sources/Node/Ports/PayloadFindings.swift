/// The files of payloads, compared with the database.
package struct PayloadFindings: Sendable, Hashable {
    /// A payload whose file is missing, or ends before the last chunk that is here.
    package struct Damage: Sendable, Hashable {
        /// The number of the payload, which is the name of its file.
        package let number: UInt64
        /// The position of the first chunk of which bytes are missing.
        package let position: UInt64

        /// Describes a damaged file.
        /// - Parameters: as the properties of the same names.
        package init(number: UInt64, position: UInt64) {
            (self.number, self.position) = (number, position)
        }
    }

    /// The number of payloads that have a file.
    package var fileCount: Int
    /// The number of those whose file is damaged.
    package var damagedCount: Int
    /// The damaged files, not all of them where there are very many.
    package var damaged: [Damage]

    /// Describes the files.
    /// - Parameters: as the properties of the same names.
    package init(fileCount: Int = 0, damagedCount: Int = 0, damaged: [Damage] = []) {
        (self.fileCount, self.damagedCount, self.damaged) = (fileCount, damagedCount, damaged)
    }
}
