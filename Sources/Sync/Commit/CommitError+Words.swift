import Records
import Wire

extension SchemaRefusal: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .notAdditive(let differences): "\(differences.count) differences take away or forbid what is in production"
        case .tooLarge(let error): "it is no schema: \(error)"
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
        case .unknownAuthor(let device): "the account does not know the author, device \(device.shortText)"
        case .waiting(let reason): "it cannot be told yet whose right this is: \(reason) is missing"
        case .noRoom(let key, let refusal): "\(key) may not begin here: \(refusal)"
        case .noPairKey(let account):
            "it is not known from which key zones with the account \(account.shortText) are derived"
        case .noRight(let zone): "this account has no right in the zone \(zone.shortText), or not any more"
        case .refused(let refusal): "the right in the zone does not reach so far: \(refusal)"
        case .noKey(let zone): "the zone \(zone.shortText) has no key that all who may read it have, and nobody else"
        case .tooManyRegrants(let count):
            "\(count) rights descend from those that are revoked, and at most \(Limits.regrantCountMax) are granted anew"
        case .notOffered(let zone): "the zone \(zone.shortText) is not offered to this account, or not any more"
        case .message(let refusal): "the message is not sent: \(refusal)"
        case .notMoved(let record, let refusal):
            "the record “\(record)” of a left account cannot be written again: \(refusal)"
        }
    }
}
