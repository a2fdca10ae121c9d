/// The name of any member of an object.
struct MemberKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A place in a list, as a part of a path.
package struct IndexKey: CodingKey {
    private let index: Int

    /// Names the element at an index, from 0.
    package init(_ index: Int) { self.index = index }
    /// Names the element at an index, from 0.
    package init?(intValue: Int) { index = intValue }
    /// `nil`: no name is a place.
    package init?(stringValue: String) { return nil }
    /// The index.
    package var intValue: Int? { index }
    /// The index in brackets.
    package var stringValue: String { "[\(index)]" }
}
