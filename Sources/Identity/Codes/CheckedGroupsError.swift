/// Why a text that a person typed is not the one that was shown; groups are counted from 1.
package enum CheckedGroupsError: Error, Equatable, Sendable {
    /// A character that never occurs; the alphabet is A to Z and 2 to 7, so 0, 1, 8 and 9 are among them.
    case wrongCharacter(Character, group: Int)

    /// A group's check character does not fit its other characters or its place.
    case wrongGroup(Int)

    /// Every group that is there is right, but characters are missing or left over (separators not counted).
    case wrongLength(expected: Int, found: Int)
}

extension CheckedGroupsError: CustomStringConvertible {
    /// A hint for the person who typed.
    package var description: String {
        switch self {
        case .wrongCharacter(let character, let group):
            "the character “\(character)” in group \(group) never occurs (only A to Z and 2 to 7 do)"
        case .wrongGroup(let group):
            "group \(group) is not the one that was shown"
        case .wrongLength(let expected, let found):
            "there are \(found) characters instead of \(expected)"
        }
    }
}
