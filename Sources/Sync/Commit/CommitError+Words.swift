import Records
import Wire

extension SchemaRefusal: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .notAdditive(let differences): "\(differences.count) differences remove or forbid parts of production"
        case .tooLarge(let error): "it is not a schema: \(error)"
        case .nothing: "nothing was declared, and no record was written"
        }
    }
}

extension GuestAnswerTooLarge: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String { "the answer to a guest's request is longer than a message may be" }
}

extension CommitError: CustomStringConvertible {
    /// The reason, for logs, with the first characters of the ids that it is about.
    package var description: String {
        switch self {
        case .foreignZone(let zone):
            "the zone \(zone.shortText) is not of this account, or its id does not fit its beginning"
        case .waiting(let reason): "the right of this operation is not known yet: \(reason) is missing"
        case .noRoom(let key, let refusal): "\(key) may not begin here: \(refusal)"
        case .noPairKey(let account):
            "it is not known from which key zones with the account \(account.shortText) are derived"
        case .noRight(let zone): "this account has no right in the zone \(zone.shortText)"
        case .refused(let refusal): "the right in the zone does not cover this: \(refusal)"
        case .noKey(let zone): "the zone \(zone.shortText) has no key that exactly the devices of all its readers have"
        case .tooManyRegrants(let count):
            "\(count) rights descend from those that are revoked, and at most \(Limits.regrantCountMax) are granted anew"
        case .notOffered(let zone): "the zone \(zone.shortText) is not offered to this account"
        case .message(let refusal): "the message is not sent: \(refusal)"
        case .notMoved(let record, let refusal):
            "the record “\(record)” of a left account cannot be written again: \(refusal)"
        }
    }
}
