import Records
import Sync
import Wire

/// A request to a device that administers a public zone to make writes there for this account.
struct GuestQuestion: Sendable {
    let zone: ZoneID
    let writes: [RecordWrite]

    /// Returns the writes in the form in which they are sent.
    /// - Throws: `NodeError` for more writes than one request may carry, and for values that no record can hold.
    func messages() throws(NodeError) -> [GuestRecordWrite] {
        guard writes.count <= Int(Limits.batchOperationCountMax) else { throw Self.tooMany }
        var messages: [GuestRecordWrite] = []
        for write in writes {
            do {
                messages.append(try write.forGuest())
            } catch {
                throw NodeError(error, write: write)
            }
        }
        let message = GuestWrite(number: 0, zone: zone, isAtomic: false, writes: messages, entries: [])
        guard message.writesByteCount <= Limits.guestWriteByteCountMax else {
            throw writes.count > 1 ? Self.tooMany : Self.tooLarge(writes[0].name)
        }
        return messages
    }

    /// Returns the results of the writes for the program.
    /// - Throws: `NodeError` for a refusal of the request as a whole, and for the first refused write of
    ///   an atomic request.
    func told(
        _ outcome: GuestAnswer.Outcome,
        isAtomic: Bool
    ) throws(NodeError) -> [Result<RecordView, NodeError>] {
        switch outcome {
        case .decided(let results):
            let all = zip(writes, results).map { told($1, of: $0) }
            if isAtomic, let refusal = all.firstRefusal { throw refusal }
            return all
        case .refused(let code):
            throw NodeError(GuestRefusalCode(rawValue: code) ?? .refused)
        }
    }

    private func told(_ result: GuestResult, of write: RecordWrite) -> Result<RecordView, NodeError> {
        switch result {
        case .refused(let refusal): return .failure(NodeError(WriteRefusal(refusal), write: write))
        case .saved(let version, let milliseconds, let record):
            do {
                let body = try record.body()
                return .success(
                    RecordView(
                        zone: zone,
                        name: write.name,
                        type: body.type,
                        fields: body.shownFields,
                        version: Hexadecimal.encode(version),
                        isDeleted: body.isDeleted,
                        createdBy: body.creator,
                        modifiedBy: body.modifier,
                        modifiedMilliseconds: milliseconds,
                        conflicts: body.conflictFields.count,
                        parent: body.parent
                    )
                )
            } catch {
                return .failure(NodeError(.internalError, "The record cannot be read back.", fix: "Report this."))
            }
        }
    }

    private static let tooMany = NodeError(
        .batchTooLarge,
        """
        Without a right in the zone, a request has at most \(Limits.batchOperationCountMax) writes and \
        \(Limits.guestWriteByteCountMax) bytes.
        """,
        fix: "Split it."
    )

    private static func tooLarge(_ name: String) -> NodeError {
        NodeError(
            .recordTooLarge,
            """
            \"\(name)\" is too large: without a right in the zone, a request and its answer have at most \
            \(Limits.guestWriteByteCountMax) bytes.
            """,
            fix: "Ask the zone's owner for a right in it, or write less at a time."
        )
    }
}

extension NodeError {
    /// The error where no device is connected that may write for others.
    static let guestUnreachable = NodeError(
        .guestUnreachable,
        "This account has no right in the zone, and no device that may write there for it is connected.",
        fix: "Try again when a device of the zone's owner is in reach; `kairan peers` lists the devices in reach."
    )

    /// The error where the outcome of a request to another device is not known.
    static let guestUncertain = NodeError(
        .guestUncertain,
        "A device of the zone's owner was asked and has not answered: the write may have been made or not.",
        fix: "Check after a while whether the record has changed, before you write again."
    )

    /// The error when a request to write for this account was not taken.
    fileprivate init(_ code: GuestRefusalCode) {
        switch code {
        case .unknownZone, .refused:
            self.init(
                .guestRefused,
                "The zone's owner does not allow this account to write here.",
                fix: "Ask for a right in the zone; `kairan share public` shows the access of accounts without one."
            )
        case .badAccount:
            self.init(
                .guestRefused,
                "The zone's owner did not accept this account's log.",
                fix: "Write on an active device with the role full; let it meet the account's other devices first."
            )
        case .zoneGone: self.init(.zoneDeleted, "The zone no longer accepts writes.", fix: "Make another one.")
        case .busy:
            self.init(.busy, "The devices that rule the zone are overloaded.", fix: "Try again in a moment.")
        case .notHere, .storage: self = .guestUnreachable
        case .tooLarge:
            self.init(
                .recordTooLarge,
                "The records are too large for an account without a right in the zone; nothing was written.",
                fix: "Write fewer at a time, or ask the zone's owner for a right in it."
            )
        case .uncertain: self = .guestUncertain
        }
    }
}
