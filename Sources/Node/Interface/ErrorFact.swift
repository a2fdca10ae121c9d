/// A fact that an error gives to programs, beside its code: each kind has one type wherever it occurs.
///
/// The interface names each by its own member of the problem document; a kind that is added here does not compile there until it has
/// a name and a form.
package enum ErrorFact: Sendable, Hashable {
    /// The path of the value that is not allowed, such as `writes[3].name`.
    case field(String)
    /// The limit on an amount or a number.
    case limit(Int)
    /// The version that a record has; empty where there is none.
    case currentVersion(String)
    /// The type that a record has.
    case currentType(String)
    /// The name of the record that it is about.
    case record(String)
    /// The index of the write or the message of a batch that was refused, from 0.
    case index(Int)
    /// The index of the write of a batch because of which this one was not made, from 0.
    case becauseOf(Int)
    /// Every rule of a schema that a record breaks.
    case violations([SchemaViolationStatus])
    /// Every difference for which a schema is refused.
    case differences([SchemaDifferenceStatus])
    /// The ids of the accounts that were meant, ascending.
    case accounts([String])
    /// The ids of the zones that were meant, ascending.
    case zones([String])
    /// The sides of a conflict, by their names.
    case sides([String])
    /// The id of the account that it is about.
    case account(String)
    /// The reason why a zone is not here any more.
    case kind(ZoneEnd.Kind)
    /// The reason: the owner's text for a deleted zone, otherwise a stable code.
    case reason(String)
    /// The state of an invitation, by its stable code.
    case state(String)
    /// The right that is needed.
    case needed(String)
    /// The aspect in which a right would be wider than the one it comes from.
    case aspect(String)
    /// The time at which a right begins, in milliseconds since 1970.
    case validFrom(milliseconds: UInt64)
    /// The time at which a right ended, in milliseconds since 1970.
    case expiredAt(milliseconds: UInt64)
    /// The place of the mistake in a text: the number of bytes before it.
    case position(Int)
    /// The text at that place.
    case found(String)
    /// The text that was expected there.
    case expected(String)
    /// The line of the mistake, from 1.
    case line(Int)
    /// The column of the mistake, from 1.
    case column(Int)
    /// Bytes before the mistake.
    case offset(Int)
    /// The methods that a path has, ascending.
    case allow([String])
    /// The time to wait, in milliseconds.
    case retryAfter(milliseconds: UInt64)
    /// The number of bytes.
    case size(UInt64)
    /// The devices that were asked about a content, with their answers.
    case holders([AssetHolderView])
    /// The end of this device's promise to keep a content, in milliseconds since 1970.
    case promisedUntil(milliseconds: UInt64)
}
