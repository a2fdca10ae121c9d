import Capabilities
import Identity
package import Records
import Sodium
package import Wire

/// Messages that programs send: writing their records, and following their delivery.
package struct SentMessages: Sendable {
    /// A message to be sent.
    package struct Draft: Sendable {
        /// The content: text where it is UTF-8 and its type says that it is text; unused with a payload.
        package var content: Message.Content
        /// The payload that was uploaded before as the content.
        package var payload: PayloadID?
        /// Its media type.
        package var contentType: String
        /// The accounts that receive it; empty for all accounts that may read the zone.
        package var recipients: [AccountID]
        /// The message that it is about.
        package var reference: Message.Reference?
        /// The time at which it expires, in milliseconds since 1970.
        package var expires: UInt64?

        /// Makes a draft.
        /// - Parameters: as the properties of the same names; the content is not sealed.
        package init(
            content: Message.Content,
            payload: PayloadID? = nil,
            contentType: String,
            recipients: [AccountID] = [],
            reference: Message.Reference? = nil,
            expires: UInt64? = nil
        ) {
            self.content = content
            self.payload = payload
            self.contentType = contentType
            self.recipients = recipients
            self.reference = reference
            self.expires = expires
        }
    }

    /// The state of a message on one device.
    package struct Delivery: Hashable, Sendable {
        /// The progress of the delivery.
        package enum State: String, Sendable, CaseIterable {
            /// The device has not acknowledged it.
            case queued
            /// The device has not acknowledged it, and a relay has it for the device.
            case relayed
            /// The device has it, and can read it.
            case delivered
            /// An application there has finished it.
            case read
            /// The device has it, and cannot open it.
            case failed
            /// The device may read the zone and not write in it, so it cannot answer.
            case unconfirmed

            fileprivate init(_ state: MessageReceipts.State) {
                switch state {
                case .delivered: self = .delivered
                case .read: self = .read
                case .failed: self = .failed
                }
            }
        }

        /// The device's account.
        package let account: AccountID
        /// The device.
        package let device: DeviceID
        /// The state of the delivery.
        package let state: State
    }

    /// Why messages are not sent.
    package struct Refusal: Error {
        /// The reason of a refusal.
        package enum Reason: Equatable, Sendable {
            /// The message cannot be sent so.
            case message(MessageRefusal)
            /// Its record is not accepted.
            case record(WriteRefusal)
        }

        /// The place of the refused message among the drafts.
        package let index: Int
        /// Why it is refused.
        package let reason: Reason
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    private var records: MessageRecords { MessageRecords(committer) }

    /// Sends messages: writes their records in one commit.
    /// - Parameters:
    ///   - drafts: The messages; none of them is about another one of them.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The messages in the same order, or the first refusal, after which the transaction is to be undone.
    /// - Throws: As ``Committer/commit(_:zone:in:)``, or an error of the store.
    /// - Complexity: O(drafts × readers of the zone).
    package func send(
        _ drafts: [Draft],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Result<[MessageRow], Refusal>> {
        let rights = try ZoneRights(zone, of: committer, in: transaction)
        var prepared: [Prepared] = []
        for (index, draft) in drafts.enumerated() {
            do {
                prepared.append(try prepare(draft, rights, zone, in: &transaction))
            } catch CommitError.message(let refusal) {
                return Changed(.failure(Refusal(index: index, reason: .message(refusal))), notice: CommitNotice())
            }
        }
        let requests = prepared.map { WriteRequest([$0.write]) }
        let written = try committer.commit(requests, zone: zone, in: &transaction)
        var rows: [MessageRow] = []
        for (index, (message, results)) in zip(prepared, written.reply.results).enumerated() {
            switch results.first {
            case .failure(let refusal)?:
                return Changed(.failure(Refusal(index: index, reason: .record(refusal))), notice: written.notice)
            case .success(let record)?: rows.append(message.row(madeBy: record.creation))
            case nil: assertionFailure("each write has a result")
            }
        }
        for row in rows {
            row.assertValid()
            try transaction.save(row)
        }
        return Changed(.success(rows), notice: written.notice)
    }

    /// A message that is to be written.
    private struct Prepared {
        let id: MessageID
        let number: UInt64
        let zone: ZoneID
        let tag: RecordTag
        let expires: UInt64?
        let secret: StoredSecret?
        let payload: PayloadID?
        let write: RecordWrite

        /// Its row, once its record was made.
        func row(madeBy place: Dot) -> MessageRow {
            MessageRow(
                id: id,
                number: number,
                zone: zone,
                tag: tag,
                place: place,
                state: .sent,
                expires: expires,
                secret: secret,
                payload: payload
            )
        }
    }

    /// Checks a message, seals its content, and makes the write of its record.
    private func prepare(
        _ draft: Draft,
        _ rights: ZoneRights,
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Prepared {
        var draft = draft
        let payload = try takePayload(of: &draft, zone: zone, in: transaction)
        try check(draft, rights, zone, in: transaction)
        let number = try records.nextNumber(in: &transaction)
        let drawn = committer.entropy.hash(.messageName, zone.bytes + WireWriter.varint(number))
        let name = Message.namePrefix + Hexadecimal.encode(Array(drawn.prefix(MessageID.byteCount)))
        let tag = try RecordTag(of: name, zone: zone, in: transaction)
        let id = MessageID(zone: zone, tag: tag)
        let (content, secret) = try sealed(draft, id, rights, zone, in: transaction)
        assert(draft.recipients.isEmpty || secret != nil, "a message to some accounts of a zone is sealed to them")
        let message = message(draft, content, payload, readers: rights.readers.keys)
        return Prepared(
            id: id,
            number: number,
            zone: zone,
            tag: tag,
            expires: draft.expires,
            secret: secret,
            payload: payload?.id,
            write: message.write(
                name: name,
                in: StatementPlace(zone: zone, tag: tag),
                signedBy: committer.keys
            )
        )
    }

    private func message(
        _ draft: Draft,
        _ content: Message.Content,
        _ payload: Message.Payload?,
        readers: some Collection<DeviceID>
    ) -> Message {
        Message(
            sender: committer.device,
            sentAt: committer.wallMilliseconds,
            contentType: draft.contentType,
            content: content,
            payload: payload,
            recipients: Array(Set(draft.recipients)).sorted(),
            reference: draft.reference,
            expires: draft.expires,
            readers: Message.marks(of: readers)
        )
    }

    /// Makes the secret of the payload that was uploaded for a message its content.
    private func takePayload(
        of draft: inout Draft,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> Message.Payload? {
        guard let id = draft.payload else { return nil }
        guard let row = try transaction.payload(id), row.state == .present,
            let statement = try Assets(committer).statement(of: row, zone: zone, in: transaction)
        else { throw CommitError.message(.unknownPayload(id)) }
        draft.content = .bytes(statement.secret.bytes)
        return Message.Payload(id: id, byteCount: statement.byteCount)
    }

    private func check(
        _ draft: Draft,
        _ rights: ZoneRights,
        _ zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws {
        let readers = rights.readers
        guard draft.content.byteCount <= Message.contentByteCountMax else { throw CommitError.message(.tooLarge) }
        for account in draft.recipients where !readers.values.contains(account) {
            throw CommitError.message(.notMember(account))
        }
        let isForSomebody = readers.contains { reader, account in
            reader != committer.device && (draft.recipients.isEmpty || draft.recipients.contains(account))
        }
        guard isForSomebody else { throw CommitError.message(.noRecipient) }
        guard let reference = draft.reference else { return }
        guard let other = try transaction.message(reference.id), other.zone == zone,
            let message = try records.message(of: other, in: transaction)
        else { throw CommitError.message(.unknown(reference.id)) }
        guard reference.relation != .edit || readers[message.sender] == committer.account.account else {
            throw CommitError.message(.notOwn(reference.id))
        }
    }

    /// Returns the content as the record has it: sealed to devices where it is not for all readers of the zone, and
    /// where a later reader of the zone is not to read earlier messages.
    private func sealed(
        _ draft: Draft,
        _ id: MessageID,
        _ rights: ZoneRights,
        _ zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> (content: Message.Content, secret: StoredSecret?) {
        var readers = rights.readers
        if draft.recipients.isEmpty {
            let row = try transaction.zone(zone)
            guard row?.genesis.history == .fromJoin, case .epoch? = row?.sealing,
                readers.count <= Limits.envelopeCountMax
            else { return (draft.content, nil) }
        } else {
            let accounts = Set(draft.recipients + [committer.account.account])
            readers = readers.filter { accounts.contains($0.value) }
        }
        guard readers.count <= Limits.envelopeCountMax else {
            throw CommitError.message(.tooManyDevices(limit: Limits.envelopeCountMax))
        }
        let place = SealedContent.Place(zone: zone, id: id, sender: committer.device)
        guard let secret = SealedContent.secret(at: place, committer.entropy) else { return (draft.content, nil) }
        let envelopes = try Prekeys(committer).seal(secret, at: place, to: readers, in: transaction)
        for account in draft.recipients
        where !envelopes.contains(where: { readers[$0.device] == account && $0.device != committer.device }) {
            // No device there states a key: the message could never be read.
            throw CommitError.message(.noRecipient)
        }
        assert(envelopes.allSatisfy { readers[$0.device] != nil }, "content is sealed to readers alone")
        let sealed = try SealedContent(draft.content.bytes, at: place, secret: secret, envelopes: envelopes)
        return (.sealed(sealed), secret)
    }

    /// Returns the progress of a message on each receiving device.
    /// - Parameters:
    ///   - row: The message.
    ///   - message: The same.
    ///   - transaction: The store.
    /// - Returns: The devices, by account, without those that were admitted after the message was sent and have not
    ///   answered it.
    /// - Throws: `ReplicaError`, or an error of the store.
    /// - Complexity: O(control operations + devices).
    package func deliveries(
        of row: MessageRow,
        _ message: Message,
        in transaction: some NodeTransaction
    ) throws -> [Delivery] {
        guard let record = try transaction.record(zone: row.zone, tag: row.tag) else { return [] }
        var zone = try InboxZone(row.zone, in: transaction)
        let membership = try zone.members(of: committer, in: transaction).membership
        let isWithRelay = try Custody(committer).isRelayed(row, record, in: transaction)
        var deliveries: [Delivery] = []
        for recipient in try zone.recipients(of: row, message, record, by: committer, in: transaction) {
            let (reader, account) = (recipient.device, recipient.account)
            if let said = recipient.said {
                deliveries.append(Delivery(account: account, device: reader, state: Delivery.State(said)))
            } else {
                let mayAnswer = membership.mayAnswer(reader, account)
                let isWaiting =
                    try isWithRelay || PostedParcels(committer).isLeft(row, record, for: reader, in: transaction)
                let state: Delivery.State = !mayAnswer ? .unconfirmed : isWaiting ? .relayed : .queued
                deliveries.append(Delivery(account: account, device: reader, state: state))
            }
        }
        return deliveries.sorted { ($0.account, $0.device) < ($1.account, $1.device) }
    }
}

extension SentMessages.Refusal: CustomStringConvertible {
    /// The place and the reason, as a part of a sentence.
    package var description: String {
        switch reason {
        case .message(let refusal): "message \(index) is refused: \(refusal)"
        case .record(let refusal): "the record of message \(index) is refused: \(refusal)"
        }
    }
}
