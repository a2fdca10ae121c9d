/// The kind of value that a field holds: the tag of ``FieldValue`` on the wire.
package struct FieldKind: Hashable, Sendable {
    /// The tag; never that of null, which is no kind of its own.
    package let tag: UInt64

    /// The kind of a tag.
    /// - Returns: `nil` for null.
    package init?(tag: UInt64) {
        guard tag != 0 else { return nil }
        self.tag = tag
    }

    /// The kind of a value.
    /// - Returns: `nil` for null.
    package init?(of value: FieldValue) {
        self.init(tag: value.tag)
    }

    private init(known tag: UInt64) {
        self.tag = tag
    }

    /// Text.
    package static let string = FieldKind(known: 1)
    /// A whole number.
    package static let int64 = FieldKind(known: 2)
    /// A floating-point number.
    package static let double = FieldKind(known: 3)
    /// Yes or no.
    package static let bool = FieldKind(known: 4)
    /// Raw bytes.
    package static let bytes = FieldKind(known: 5)
    /// A moment.
    package static let date = FieldKind(known: 6)
    /// A place on earth.
    package static let location = FieldKind(known: 7)
    /// Another record.
    package static let reference = FieldKind(known: 8)
    /// Bytes kept beside the record.
    package static let asset = FieldKind(known: 9)
    /// Values in order.
    package static let list = FieldKind(known: 10)
    /// A mergeable sum.
    package static let counter = FieldKind(known: 11)
    /// A mergeable set.
    package static let set = FieldKind(known: 12)

    private static let names: [(kind: FieldKind, name: String)] = [
        (.string, "string"), (.int64, "int64"), (.double, "double"), (.bool, "bool"), (.bytes, "bytes"),
        (.date, "date"), (.location, "location"), (.reference, "reference"), (.asset, "asset"), (.list, "list"),
        (.counter, "counter"), (.set, "set"),
    ]

    /// The name of the kind for people and programs; a later version's kind is `kind-` and its tag.
    package var name: String {
        Self.names.first { $0.kind == self }?.name ?? "kind-\(tag)"
    }

    /// The kind of a name.
    /// - Returns: `nil` for a name that this version does not know.
    package init?(name: String) {
        guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
        self = known.kind
    }

    /// Whether values of the kind have an order in which a least and a greatest one may be stated.
    package var hasBounds: Bool { self == .int64 || self == .double || self == .date }
    /// Whether values of the kind have a length: of text in Unicode scalars, of bytes, of items.
    package var hasLength: Bool { self == .string || self == .bytes || self == .list || self == .set }
    /// Whether values of the kind have elements of one kind.
    package var hasElements: Bool { self == .list || self == .set }
    /// Whether the values of the kind may be enumerated.
    package var hasEnumeration: Bool { self == .string || self == .int64 }
}
