package import Wire

/// A link: the content of an asset is in a file that another program keeps.
package struct AssetLinkRow: Hashable, Sendable {
    /// The knowledge of a file; the raw values are stored.
    package enum State: Int, Sendable, CaseIterable {
        /// It has the content, as far as its facts show.
        case sound = 1
        /// It has other content.
        case changed = 2
        /// Its facts are others than those that were noted, and its content has not been compared since.
        case ambiguous = 3
        /// It is not there, or cannot be read.
        case missing = 4
    }

    /// The payload.
    package let payload: PayloadID
    /// The file.
    package let place: LinkedPlace
    /// The facts about the file when its content was compared last.
    package var facts: FileFacts
    /// The knowledge of it.
    package var state: State

    /// Describes a link.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, place: LinkedPlace, facts: FileFacts, state: State = .sound) {
        (self.payload, self.place, self.facts, self.state) = (payload, place, facts, state)
    }
}

extension AssetLinkRow: Comparable {
    /// The order of the payloads, of one payload that of the places.
    package static func < (left: Self, right: Self) -> Bool {
        (left.payload, left.place) < (right.payload, right.place)
    }
}
