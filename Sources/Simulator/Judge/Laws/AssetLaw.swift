import Records
import Sync
import Wire

/// The laws about contents that records name.
///
/// It knows the uploads and the requests of applications, and reads the records of stores by itself.
struct AssetLaw {
    /// A content that an application has uploaded, with the secret that its payload was sealed under.
    struct Upload {
        let bytes: [UInt8]
        let secret: [UInt8]

        /// Whether an asset states the truth about the upload.
        func isDescribed(by asset: AssetDescriptor) -> Bool {
            asset.size == UInt64(bytes.count) && asset.secret.bytes == secret
        }
    }

    private let evidence: Evidence
    /// The uploads, by their payloads.
    private(set) var uploads: [PayloadID: Upload] = [:]
    /// The contents that applications on each node have asked for, with the times of their last requests.
    private var asked: [Int: [PayloadID: UInt64]] = [:]
    /// The contents that each node has evicted, with the times at which that was seen last.
    private var evicted: [Int: [PayloadID: UInt64]] = [:]
    /// The contents whose transfer applications on each node have ended.
    private var cancelled: [Int: Set<PayloadID>] = [:]
    /// The number of false statements about each content.
    private var lies: [PayloadID: Int] = [:]
    /// The number of false statements from which on a content need not be fetched.
    private static let lieCountMax = 8
    /// The longest time from a request to the commit of its job, in milliseconds.
    private static let requestMilliseconds: UInt64 = 60_000

    init(_ evidence: Evidence) { self.evidence = evidence }

    // MARK: Observations

    /// Takes note of an upload.
    mutating func uploaded(_ payload: PayloadID, _ upload: Upload) { uploads[payload] = upload }

    /// Takes note of a request that is about to be made.
    mutating func asks(for payload: PayloadID, on node: SimulatedNode) {
        asked[node.index, default: [:]][payload] = node.simulation.now
        cancelled[node.index]?.remove(payload)
    }

    /// Takes note of the end of a transfer that is about to be requested.
    mutating func cancels(_ payload: PayloadID, on node: SimulatedNode) {
        cancelled[node.index, default: []].insert(payload)
    }

    /// Takes note of the eviction of a content.
    mutating func evicted(_ payload: PayloadID, _ commit: ObservedCommit) {
        evicted[commit.node, default: [:]][payload] = commit.time
    }

    /// Takes note of a false statement that is about to be made.
    mutating func lied(about payload: PayloadID) { lies[payload, default: 0] += 1 }

    // MARK: Each step of a store

    /// Checks that a step drops no content that a visible record names, and wants none that nothing asks for.
    /// - Parameters:
    ///   - commit: The step.
    ///   - isDecided: Whether the node may be evicting a content; another law is about that.
    /// - Throws: ``Violation``.
    func check(_ commit: ObservedCommit, evicting isDecided: (PayloadID) -> Bool) throws {
        guard !uploads.isEmpty, !evidence.byzantine.contains(commit.device) else { return }
        for payload in uploads.keys.sorted() {
            let (before, after) = (try commit.before.payload(payload), try commit.after.payload(payload))
            if before?.state == .present, after?.state != .present, !isDecided(payload) {
                try checkDropped(payload, commit)
            }
            guard after?.state == .wanted, before?.state != .wanted else { continue }
            try checkWanted(payload, wasEvicted: before?.state == .evicted, commit)
        }
    }

    private func checkDropped(_ payload: PayloadID, _ commit: ObservedCommit) throws {
        guard try NamedAssets(in: commit.before).places[payload] != nil,
            let place = try NamedAssets(in: commit.after).places[payload]?.first
        else { return }
        throw commit.violation(
            .assets,
            "the content \(payload.shortText) is dropped, and a record of \(place.zone.shortText) names it"
        )
    }

    private func checkWanted(_ payload: PayloadID, wasEvicted: Bool, _ commit: ObservedCommit) throws {
        let dropTime = wasEvicted ? evicted[commit.node]?[payload] ?? 0 : 0
        if let time = asked[commit.node]?[payload], time + Self.requestMilliseconds >= dropTime { return }
        if try commit.after.messages(with: payload).contains(where: { $0.state == .fetching }) { return }
        // A relay was asked to keep it.
        if try commit.after.payload(payload)?.keptUntil != nil { return }
        if wasEvicted {
            throw commit.violation(
                .assets,
                "the content \(payload.shortText) was evicted, and is fetched without a request"
            )
        }
        // Jobs of one transaction see the policies of earlier ones.
        for store in [commit.before, commit.after] {
            for place in try NamedAssets(in: store).places[payload] ?? []
            where try Self.isFetched(place, by: commit.before) || Self.isFetched(place, by: commit.after) { return }
        }
        throw commit.violation(.assets, "the content \(payload.shortText) is fetched, and no policy says so")
    }

    /// Whether a policy says that a content is fetched without a request.
    private static func isFetched(_ place: NamedAssets.Place, by store: MemoryStore) throws -> Bool {
        switch try store.assetPolicy(zone: place.zone) ?? .always {
        case .always: true
        case .upTo(let limit): place.asset.size <= limit
        case .never, .onDemand: false
        }
    }

    // MARK: In the end

    /// Checks that the contents that are here are the uploaded ones.
    func checkContents(of node: SimulatedNode) throws {
        guard let store = node.store, let committer = node.process?.committer() else { return }
        for (payload, upload) in uploads.sorted(by: { $0.key < $1.key }) {
            guard let row = try store.payload(payload), row.isComplete else { continue }
            let size = UInt64(upload.bytes.count)
            var bytes: [UInt8] = []
            while bytes.count < upload.bytes.count {
                let part = try Payloads(committer).bytes(of: row, byteCount: size, from: UInt64(bytes.count), in: store)
                guard let part, !part.isEmpty else { break }
                bytes += part
            }
            // A linked file may have been changed: then a part is not read, and never a wrong one.
            if row.state == .linked, upload.bytes.starts(with: bytes) { continue }
            guard bytes == upload.bytes, row.paddedByteCount == PayloadWriter.paddedByteCount(size) else {
                throw Violation(.assets, at: node, "the content \(payload.shortText) is not the uploaded one")
            }
        }
    }

    /// A content that a node is to have, and that another member has which may be asked now; nil when there is none.
    ///
    /// The function `isOpen` says whether a zone may be used on a node.
    func unfetched(
        on node: SimulatedNode,
        among members: [SimulatedNode],
        isOpen: (ZoneID, SimulatedNode) throws -> Bool
    ) throws -> (payload: PayloadID, holder: SimulatedNode)? {
        guard let store = node.store, let process = node.process else { return nil }
        let devices = Set(process.sessionDevices)
        for (payload, places) in try NamedAssets(in: store).places.sorted(by: { $0.key < $1.key }) {
            guard let upload = uploads[payload], lies[payload] ?? 0 < Self.lieCountMax else { continue }
            let honest = places.filter { upload.isDescribed(by: $0.asset) }
            let row = try store.payload(payload)
            // An evicted one comes back on request alone.
            if row?.isComplete == true || row?.state == .evicted { continue }
            let isExpected =
                try row?.state == .wanted
                || !(cancelled[node.index]?.contains(payload) ?? false)
                    && honest.contains { try isOpen($0.zone, node) && Self.isFetched($0, by: store) }
            guard isExpected else { continue }
            for other in members where other.index != node.index && devices.contains(other.device) {
                guard try other.store?.payload(payload)?.state == .present,
                    try honest.contains(where: { try isOpen($0.zone, node) && isOpen($0.zone, other) })
                else { continue }
                return (payload, other)
            }
        }
        return nil
    }

    /// Checks that a node has dropped the contents that no record has named for longer than they are kept.
    func checkCollected(on node: SimulatedNode) throws {
        guard let store = node.store, let committer = node.process?.committer(), committer.settledMilliseconds != nil
        else { return }
        let named = try NamedAssets(in: store).places
        for payload in uploads.keys.sorted() where named[payload] == nil {
            guard let row = try store.payload(payload), row.state != .released, row.isAsset,
                try store.messages(with: payload).isEmpty, try !Self.isInQuarantine(payload, store)
            else { continue }
            throw Violation(
                .assets,
                at: node,
                "the content \(payload.shortText) is kept (\(row.state)), and no record has named it for long"
            )
        }
    }

    /// Whether a write that may become effective names a content.
    private static func isInQuarantine(_ payload: PayloadID, _ store: MemoryStore) throws -> Bool {
        try store.zones().contains { zone in
            try zone.state == .live && Quarantine(of: zone.id).names(payload, in: store)
        }
    }
}
