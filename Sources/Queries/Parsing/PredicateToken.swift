/// A word of a predicate, and where it stands.
struct PredicateToken {
    enum Kind: Equatable {
        /// A bare word: a field, or one of the words of the language.
        case word(String)
        /// A field between backquotes.
        case quotedField(String)
        /// `@` and a word.
        case systemField(String)
        case string(String)
        case integer(Int64)
        case double(Double)
        case comparison(Comparison)
        case open
        case close
        case comma
        case end
    }

    var kind: Kind
    /// Of its first byte.
    var offset: Int
    /// The position behind its last byte.
    var end: Int
}
