import Foundation
import Synchronization

/// A relay's stream, which can be read, written and purged.
///
/// Calls block.
///
/// Every server with a replica may answer a read, and may lag behind. So each read also requests one message that
/// always exists: its answer shows the server's progress, and a server that lacks this process's own writes is asked
/// again.
final class ParcelStream: Sendable {
    /// The number of messages that are requested at once when all are read.
    static let pageCount = 1_000
    /// The format of the stored data.
    static let format: [UInt8] = [1]

    let connection: NATSConnection
    let name: String
    let subjects: ParcelSubjects
    private let patience: Duration
    private let seen = Mutex<UInt64>(0)

    /// Finds the stream, or makes it.
    /// - Parameters:
    ///   - connection: To the cluster.
    ///   - options: The options with which it is made.
    /// - Throws: `StreamError`; also when there is one of this name that would lose parcels.
    init(_ connection: NATSConnection, _ options: JetStreamOptions) throws(StreamError) {
        self.connection = connection
        name = options.stream
        subjects = ParcelSubjects(prefix: options.stream)
        patience = options.patience
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else {
            throw .failed("a stream's name has letters, digits, - and _ alone")
        }
        let found = try information()
        if found.error?.err_code == Self.streamNotFound {
            let made = StreamConfiguration(
                name: options.stream,
                subjects: subjects.all,
                num_replicas: options.replicaCount
            )
            try retrying { () throws(StreamError) in
                let answer: StreamInformation = try call("STREAM.CREATE.\(name)", made)
                // Another front end was quicker.
                if let error = answer.error, error.err_code != Self.nameTaken { throw Self.failure(error) }
            }
        }
        let information = try information()
        guard let configuration = information.config, information.error == nil else {
            throw Self.failure(information.error)
        }
        if let words = Self.objection(to: configuration, subjects) { throw .failed(words) }
        note(information.state?.last_seq ?? 0)
        do {
            let format = StreamWrite(subject: subjects.format, bytes: Self.format, after: 0)
            try retrying { () throws(StreamError) in try write([format]) }
        } catch .conflict {
            // It is there already.
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// The cluster's information about the stream.
    func information() throws(StreamError) -> StreamInformation {
        try retrying { () throws(StreamError) in try call("STREAM.INFO.\(name)", [String: String]()) }
    }

    /// The reason why a stream must not be used as it is set up; `nil` when it may.
    static func objection(to configuration: StreamConfiguration, _ subjects: ParcelSubjects) -> String? {
        let limited = configuration.max_msgs > 0 || configuration.max_age > 0
        guard configuration.subjects == subjects.all, configuration.allow_direct, configuration.allow_atomic == true,
            configuration.max_msgs_per_subject == 1, configuration.retention == "limits",
            configuration.storage == "file", configuration.discard == "new", !limited,
            configuration.persist_mode != "async"
        else {
            return "the stream \(configuration.name) has other settings than a relay's; rename it or correct it"
        }
        return nil
    }

    // MARK: Reading

    /// The last messages of some subjects, which may have wildcards.
    /// - Throws: `StreamError.tooManyResults` beyond a thousand.
    func read(_ filters: [String]) throws(StreamError) -> [StoredMessage] {
        let request = Self.encode(ReadRequest(multi_last: [subjects.format] + filters))
        let message = NATSMessage(subject: "$JS.API.DIRECT.GET.\(name)", bytes: request)
        return try retrying { () throws(StreamError) in
            let (found, end) = try gather(message)
            guard end.status == 204 else { throw Self.failure(end) }
            guard (end.upTo ?? 0) >= seen.withLock({ $0 }) else { throw .passing("a replica lags behind") }
            return found.filter { $0.subject != subjects.format }
        }
    }

    /// All messages of a filter, in the order of their places, page by page.
    /// - Parameters:
    ///   - filter: The subjects.
    ///   - take: Takes a page; returns whether to continue.
    /// - Throws: `StreamError`, or any error of `take`.
    func scan(_ filter: String, _ take: ([StoredMessage]) throws(StreamError) -> Bool) throws(StreamError) {
        // Asked first, so that the server that is asked next is likely to have got as far as we wrote.
        _ = try read([])
        var place: UInt64 = 1
        while true {
            let request = ReadRequest(next_by_subj: filter, seq: place, batch: Self.pageCount)
            let message = NATSMessage(subject: "$JS.API.DIRECT.GET.\(name)", bytes: Self.encode(request))
            let (found, end) = try retrying { () throws(StreamError) in
                let (found, end) = try gather(message)
                guard end.status == 204 || end.status == 404 else { throw Self.failure(end) }
                return (found, end)
            }
            guard let last = found.last, try take(found), end.pendingCount ?? 0 > 0 else { return }
            place = last.sequence + 1
        }
    }

    /// The last message of a subject, as the leader has it.
    func newest(_ subject: String) throws(StreamError) -> StoredMessage? {
        let answer: LeaderMessage = try retrying { () throws(StreamError) in
            try call("STREAM.MSG.GET.\(name)", ReadRequest(last_by_subj: subject))
        }
        if let message = answer.message {
            let data = message.data.flatMap { Data(base64Encoded: $0) } ?? Data()
            return StoredMessage(subject: subject, sequence: message.seq, bytes: [UInt8](data))
        }
        guard answer.error?.err_code == Self.noMessage else { throw Self.failure(answer.error) }
        return nil
    }

    private func gather(_ message: NATSMessage) throws(StreamError) -> ([StoredMessage], NATSReply) {
        var found: [StoredMessage] = []
        var end = NATSReply()
        try connection.ask([message]) { reply in
            guard reply.status == nil, let subject = reply.storedSubject else {
                end = reply
                return true
            }
            found.append(StoredMessage(subject: subject, sequence: reply.sequence, bytes: reply.bytes))
            return false
        }
        return (found, end)
    }

    // MARK: Writing

    /// Writes all or nothing, and waits until it is kept.
    /// - Parameter writes: At least one; of different subjects.
    /// - Throws: `StreamError.conflict` when something is otherwise than expected.
    func write(_ writes: [StreamWrite]) throws(StreamError) {
        let batch = UUID().uuidString
        let messages = writes.enumerated().map { index, write in
            var headers = [("Nats-Expected-Last-Subject-Sequence", String(write.after))]
            if writes.count > 1 {
                headers += [("Nats-Batch-Id", batch), ("Nats-Batch-Sequence", String(index + 1))]
                if index == writes.count - 1 { headers.append(("Nats-Batch-Commit", "1")) }
            }
            return NATSMessage(
                subject: write.subject,
                headers: headers.map { (name: $0.0, value: $0.1) },
                bytes: write.bytes
            )
        }
        let reply = try connection.send(messages)
        guard reply.status == nil else { throw Self.failure(reply) }
        let answer: PublishAcknowledgement = try Self.decode(reply.bytes)
        guard let place = answer.seq, answer.error == nil else { throw Self.failure(answer.error) }
        note(place)
    }

    /// Writes a meaningless message, so that later reads see all purges made until now.
    func mark() throws(StreamError) {
        try retrying { () throws(StreamError) in
            guard let format = try newest(subjects.format) else { throw .failed("the stream has no format") }
            do throws(StreamError) {
                try write([StreamWrite(subject: subjects.format, bytes: format.bytes, after: format.sequence)])
            } catch .conflict {
                throw .passing("others write the same")
            }
        }
    }

    /// Purges several filters, each at once.
    /// - Parameter requests: The filters.
    /// - Returns: The number of purged messages for each request.
    /// - Throws: `StreamError`; then some of it may be purged.
    func purge(_ requests: [PurgeRequest]) throws(StreamError) -> [UInt64] {
        guard !requests.isEmpty else { return [] }
        let messages = requests.map {
            NATSMessage(subject: "$JS.API.STREAM.PURGE.\(name)", bytes: Self.encode($0))
        }
        var counts = [UInt64](repeating: 0, count: requests.count)
        var failure: StreamError?
        var left = messages.count
        try connection.ask(messages) { reply in
            left -= 1
            let answer: PurgeResponse? = try? Self.decode(reply.bytes)
            if let count = answer?.purged, answer?.error == nil {
                if counts.indices.contains(reply.index) { counts[reply.index] = count }
            } else {
                failure = reply.status == nil ? Self.failure(answer?.error) : Self.failure(reply)
            }
            return left == 0
        }
        if let failure { throw failure }
        return counts
    }

    // MARK: Calls

    private func call<Answer: Decodable>(_ what: String, _ request: some Encodable) throws(StreamError) -> Answer {
        let reply = try connection.send([NATSMessage(subject: "$JS.API.\(what)", bytes: Self.encode(request))])
        guard reply.status == nil else { throw Self.failure(reply) }
        return try Self.decode(reply.bytes)
    }

    private func note(_ place: UInt64) {
        seen.withLock { $0 = max($0, place) }
    }

    /// Does something, and again while its failure is a passing one, for as long as the patience lasts.
    func retrying<Value>(_ work: () throws(StreamError) -> Value) throws(StreamError) -> Value {
        let clock = ContinuousClock()
        let end = clock.now + patience
        var pause: UInt32 = 500
        while true {
            do {
                return try work()
            } catch .passing(let words) {
                guard clock.now < end else { throw .passing(words) }
                usleep(pause)
                pause = min(pause * 2, 50_000)
            }
        }
    }
}
