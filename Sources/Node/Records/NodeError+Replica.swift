import Records
import Wire

extension NodeError {
    /// The error when the replica refuses one write.
    init(_ refusal: WriteRefusal, write: RecordWrite) {
        let name = write.name
        switch refusal {
        case .versionMismatch(let current):
            self.init(
                .versionMismatch,
                "\"\(name)\" was changed by another writer.",
                fix: "Read it again, and write with its current version.",
                facts: [.currentVersion(current?.text ?? ""), .record(name)]
            )
        case .alreadyExists(let current):
            self.init(
                .versionMismatch,
                "\"\(name)\" exists already.",
                fix: "Read it, and write with its current version.",
                facts: [.currentVersion(current.text), .record(name)]
            )
        case .notFound:
            self.init(.recordUnknown, "The zone has no record \"\(name)\".", fix: "`kairan ls` lists the records.")
        case .typeMissing:
            self.init(.invalidArgument, "\"\(name)\" needs a type.", fix: "Give one.")
        case .typeMismatch(let current):
            self.init(
                .invalidArgument,
                "\"\(name)\" has the type \(current).",
                fix: "Leave the type out, or delete the record first.",
                facts: [.currentType(current)]
            )
        case .wrongKind(let field):
            self.init(.invalidArgument, "\(field) of \"\(name)\" holds another kind of value.", fix: "Set it instead.")
        case .ambiguousField(let field):
            self.init(.invalidArgument, "The write has two changes of \(field) of \"\(name)\".", fix: "Give one.")
        case .invalid(let error):
            self.init(
                .invalidArgument,
                "\"\(name)\" cannot be stored: \(error.explained).",
                fix: "See /usr/share/doc/kairan/docs/api/limits.md."
            )
        case .tooLarge(let byteCount, let limit):
            self.init(
                .recordTooLarge,
                "\"\(name)\" would take \(byteCount) bytes; a record has at most \(limit).",
                fix: "Put large data into files and keep a reference."
            )
        case .notReadable:
            self.init(
                .recordNotReadable,
                "\"\(name)\" has parts that are sealed under a key which this device does not have.",
                fix: "Let this device meet the zone's other devices, or replace it: `kairan resolve ZONE NAME --file`."
            )
        case .notAllowed:
            self.init(
                .rightTooNarrow,
                "This account's right in the zone does not cover \"\(name)\".",
                fix: "Ask the zone's owner for a wider right."
            )
        case .schemaViolation(let violations):
            self.init(violations, record: name)
        case .tooManyActors:
            self.init(
                .recordTooLarge,
                "\"\(name)\" was written by \(Limits.actorCountMax) stores, the most that a record can name.",
                fix: "Write it under another name."
            )
        case .logFull: self = .tooManyActors
        case .batchTooLarge:
            self.init(.batchTooLarge, "The batch has too many writes or bytes.", fix: "Split it.")
        case .tooManyFollowers(let limit):
            self.init(
                .batchTooLarge,
                "With \"\(name)\" more records would be deleted than the \(limit) that one batch may write.",
                fix: "Delete some of the records that refer to it first.",
                facts: [.limit(limit), .record(name)]
            )
        case .followerNotAllowed(let follower):
            self.init(
                .rightTooNarrow,
                "With \"\(name)\" also \"\(follower)\" would be deleted, which this account's right does not cover.",
                fix: "Ask the zone's owner to delete it.",
                facts: [.record(follower)]
            )
        case .batchRefused(let index):
            self.init(
                .batchRefused,
                "Another write of the batch was refused, so this one was not made.",
                fix: "See the refusal of that write.",
                facts: [.becauseOf(index)]
            )
        }
    }

    /// The error when the replica refuses a request as a whole.
    init(_ error: ReplicaError) {
        switch error {
        case .unknownZone(let zone):
            self.init(.zoneUnknown, "There is no zone \(zone.text).", fix: "`kairan zone ls` lists the zones.")
        case .zoneClosed:
            self.init(.zoneDeleted, "The zone no longer accepts writes.", fix: "Make another one.")
        case .ownLogClosed:
            self.init(.notReady, "This store begins a new incarnation.", fix: "Try again in a moment.")
        case .tooManyActors: self = .tooManyActors
        case .controlLogFull: self = .controlLogFull
        case .unreadable(_, let error):
            self.init(
                .invalidArgument,
                "No other device could read this: \(error.explained). Nothing was written.",
                fix: "See /usr/share/doc/kairan/docs/api/limits.md."
            )
        default:
            // The log has the detail: it names keys and hashes, which do not help the author of a record.
            self.init(.storageFailed, "The store refused this.", fix: "See the daemon's log.")
        }
    }
}

extension NodeError {
    /// The refusal when this store's log in a zone may not begin, or may not continue.
    fileprivate static let tooManyActors = NodeError(
        .zoneTooManyActors,
        "The zone has the maximum number of writing stores, or this device has written there in the maximum number of incarnations.",
        fix:
            "Pair the device anew: stop its daemon, move the folder \"keys\" of its state directory away, start it and pair again."
            + " If the zone is full, copy its records into another one with `kairan export` and `kairan import`."
    )

    /// The refusal when this store's control log in a zone may not continue.
    package static let controlLogFull = NodeError(
        .zoneControlLogFull,
        "This device's control log in the zone is full under its account's right;"
            + " the remaining space is reserved for revocations.",
        fix:
            "Do it on another device of the account. If the account does not own the zone, its owner can also revoke"
            + " the right and grant another: `kairan share revoke`, then `kairan share grant`."
    )
}

extension WireError {
    /// The fault of a value that a program wants to store.
    fileprivate var explained: String {
        switch self {
        case .tooLong(let limit): "a part of it is longer, or has more elements, than the limit of \(limit)"
        case .tooDeep: "lists are nested deeper than \(Limits.nestingDepthMax) levels"
        case .invalidValue(let what): "it has no valid \(what)"
        default: "\(self)"
        }
    }
}
