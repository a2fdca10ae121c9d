package import Logging
package import Mailbox
package import Wire

/// Parcels in a stream of a NATS cluster, whichever front end they came to.
///
/// Front ends store nothing themselves: any number may use one stream, and any may die at any moment. See
/// `ParcelSubjects` for the layout and `ParcelKeeper` for how it stays consistent. A front end sees its own writes at
/// once, and those of others after the moment that a replica needs to follow its leader.
package final class JetStreamParcelStorage: ParcelStorage {
    let options: JetStreamOptions
    let connection: NATSConnection
    let keeper: ParcelKeeper
    let workers: JetStreamWorkers
    private let puts: BatchLine<AdmissionID, ParcelDeposit, ParcelOutcome>
    private let fetches: BatchLine<Int, ParcelKey, [UInt8]?>

    /// The name of this kind of storage.
    package var backend: String { "jetstream" }

    private init(
        _ options: JetStreamOptions,
        _ connection: NATSConnection,
        _ keeper: ParcelKeeper,
        _ workers: JetStreamWorkers
    ) {
        self.options = options
        self.connection = connection
        self.keeper = keeper
        self.workers = workers
        puts = BatchLine(workers) { deposits, admission throws(StreamError) in
            try keeper.put(deposits, under: admission)
        }
        fetches = BatchLine(workers) { keys, _ throws(StreamError) in try keeper.firstPieces(of: keys) }
    }

    /// Connects, and makes the stream if there is none.
    /// - Parameters:
    ///   - options: The cluster and its settings.
    ///   - logger: Receives the findings.
    /// - Returns: The storage.
    /// - Throws: `ParcelStorageError.unavailable`, also when the stream of that name is set up otherwise than a relay's, or the servers
    ///   take too small messages only.
    package static func open(_ options: JetStreamOptions, logger: Logger) async throws -> JetStreamParcelStorage {
        let workers = JetStreamWorkers(count: options.workerCount)
        return try await workers.run {
            let connection = try NATSConnection(options)
            let least = Int64(ParcelSubjects.pieceByteCount) + Self.headerByteCount
            guard connection.payloadByteCountMax >= least else {
                throw StreamError.failed("the servers accept no message of 512 KiB: set max_payload to 1MB")
            }
            let stream = try ParcelStream(connection, options)
            let configuration = try stream.information().config
            logger.info(
                "parcels are kept in JetStream",
                metadata: ["stream": "\(options.stream)", "replicas": "\(configuration?.num_replicas ?? 0)"]
            )
            return JetStreamParcelStorage(options, connection, ParcelKeeper(stream), workers)
        }
    }

    /// Ends the connection; calls under way fail, and so do later ones.
    package func close() async {
        workers.stop()
        connection.close()
    }

    /// The number of concurrent requests for parcels, each for several.
    private static let fetchLaneCount: UInt64 = 2

    /// The maximum number of bytes that a message has beside a piece of a parcel.
    static let headerByteCount: Int64 = 1_024

    /// See ``ParcelStorage``.
    package func admit(_ admission: Admission) async throws {
        try await workers.run { [keeper] in try keeper.admit(admission) }
    }

    /// See ``ParcelStorage``.
    package func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) async throws -> [AdmissionID] {
        try await workers.run { [keeper] in try keeper.give(passes, under: giver, at: now, until: until) }
    }

    /// See ``ParcelStorage``.
    package func dismiss(_ admission: AdmissionID) async throws -> Bool {
        try await workers.run { [keeper] in try keeper.dismiss(admission) }
    }

    /// See ``ParcelStorage``.
    package func admissions() async throws -> [AdmissionUsage] {
        try await workers.run { [keeper] in try keeper.admissions() }
    }

    /// See ``ParcelStorage``.
    package func admission(_ id: AdmissionID) async throws -> AdmissionUsage? {
        try await workers.run { [keeper] in try keeper.admission(id) }
    }

    /// See ``ParcelStorage``.
    package func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome {
        try await puts.perform(deposit, in: deposit.admission, byteCount: deposit.parcel.bytes.count)
    }

    /// See ``ParcelStorage``.
    package func parcels(in mailboxes: [MailboxID], limit: Int) async throws -> [ParcelNotice] {
        try await workers.run { [keeper] in try keeper.parcels(in: mailboxes, limit: limit) }
    }

    /// See ``ParcelStorage``; a parcel whose content does not match its id is not delivered.
    package func parcel(_ parcel: ParcelID, in mailbox: MailboxID) async throws -> [UInt8]? {
        let key = ParcelKey(mailbox: mailbox, parcel: parcel)
        guard var bytes = try await fetches.perform(key, in: Int(parcel.digest.word0 % Self.fetchLaneCount)) else {
            return nil
        }
        // One that has more pieces is asked for by itself: many large ones together would take too much memory.
        if bytes.count >= ParcelSubjects.pieceByteCount {
            bytes = try await workers.run { [keeper] in try keeper.pieces(of: key) }
        }
        let sealed = SealedParcel(bytes: bytes)
        return sealed.id == parcel ? sealed.bytes : nil
    }

    /// See ``ParcelStorage``.
    package func remove(_ parcels: [ParcelID], from mailbox: MailboxID) async throws {
        try await workers.run { [keeper] in try keeper.remove(parcels, from: mailbox) }
    }

    /// See ``ParcelStorage``.
    package func held(_ parcels: [ParcelID], in mailbox: MailboxID) async throws -> [ParcelID] {
        try await workers.run { [keeper] in try keeper.held(parcels, in: mailbox) }
    }

    /// See ``ParcelStorage``.
    package func claim(_ claim: SlotClaim) async throws -> SlotOutcome {
        try await workers.run { [keeper] in try keeper.claim(claim) }
    }

    /// See ``ParcelStorage``.
    package func expire(at now: UInt64, limit: Int) async throws -> Int {
        try await workers.run { [keeper] in try keeper.expire(at: now, limit: limit) }
    }
}
