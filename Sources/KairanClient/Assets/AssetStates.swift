/// The states of an asset on this device: the present one first, then each other one as it comes.
///
/// ```swift
/// for try await asset in zone.assetStates("picture", of: "lake") {
///     show(asset.percent)
///     if asset.state == .present { break }
/// }
/// ```
///
/// The sequence waits for a daemon that does not run, and continues with the state at that time when it runs again. It
/// goes on with the new asset when the field gets another one. It ends with the loop or the task, and throws when
/// waiting does not help: the record was deleted, or its field has no asset.
///
/// Whether wanted content is `unresolved` or `missing` depends on the connected devices: a program that may not learn of
/// these learns of that only with the next other change.
public struct AssetStates: AsyncSequence, Sendable {
    /// The asset with a state that differs from the one before.
    public typealias Element = Asset

    let client: DaemonClient
    let place: Asset.Place

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(client: client, core: AssetStatesCore(place)) }

    /// Listens.
    public struct Iterator: AsyncIteratorProtocol {
        private let client: DaemonClient
        private var core: AssetStatesCore
        private var events: EventSequence.Iterator?

        init(client: DaemonClient, core: AssetStatesCore) {
            self.client = client
            self.core = core
        }

        /// The asset in its next state; it is never `nil`.
        /// - Throws: ``KairanError`` when waiting does not help, `CancellationError`.
        public mutating func next() async throws -> Asset? {
            while true {
                do {
                    if let asset = try await step() { return asset }
                } catch let error as KairanError {
                    events = nil
                    let pause = try core.failed(error)
                    try await Task.sleep(for: .milliseconds(pause))
                }
            }
        }

        private mutating func step() async throws -> Asset? {
            if events == nil {
                events = try await client.events(zone: core.place.zone).makeAsyncIterator()
            }
            let event = try await events?.next()
            switch core.received(event) {
            case .nothing: return nil
            case .show(let asset): return asset
            case .ask:
                let asset = try await client.assets.asset(at: core.place)
                return core.described(asset)
            case .reopen: throw KairanError.interrupted(reason: "the daemon has ended the stream")
            }
        }
    }
}

/// The state of a listener for one asset.
package struct AssetStatesCore: Sendable {
    /// The consequence of an event.
    package enum Step: Sendable, Hashable {
        /// None.
        case nothing
        /// The asset has another state.
        case show(Asset)
        /// The asset may be another one, or have another state.
        case ask
        /// The stream is over.
        case reopen
    }

    /// The place that names the asset.
    package let place: Asset.Place
    private var last: Asset?
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Begins without knowing the asset.
    package init(_ place: Asset.Place) { self.place = place }

    /// Processes an event of the zone; `nil` for the end of the stream.
    package mutating func received(_ event: DaemonEvent?) -> Step {
        guard let event else { return .reopen }
        switch event.kind {
        case .end: return .reopen
        // The stream begins here: no change is missed from now on.
        case .snapshot:
            pause.succeed()
            return .ask
        // The content may be one that a device which has come, or gone, may have.
        case .peer: return last?.state == .present ? .nothing : .ask
        case .change(let change): return change.record.name.isSameName(as: place.record) ? .ask : .nothing
        case .asset(let change):
            guard var asset = last, asset.asset == change.asset else { return .nothing }
            (asset.state, asset.percent) = (change.state, change.percent)
            return described(asset).map { .show($0) } ?? .nothing
        default: return .nothing
        }
    }

    /// Takes in the asset as it is now.
    /// - Parameter asset: The asset.
    /// - Returns: The asset; `nil` when it is as it was.
    package mutating func described(_ asset: Asset) -> Asset? {
        guard asset != last else { return nil }
        last = asset
        return asset
    }

    /// The stream could not be opened, or broke.
    /// - Parameter error: The reason.
    /// - Returns: The time to wait, in milliseconds.
    /// - Throws: The error, when waiting does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) -> Int64 {
        guard error.isRetryable else { throw error }
        return pause.fail(at: 0, atLeast: error.retryAfter)
    }
}
