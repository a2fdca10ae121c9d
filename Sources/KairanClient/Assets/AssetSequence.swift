/// The assets of a zone's records, fetched in pages while they are read.
///
/// An asset of a record that changes meanwhile occurs as it was before or after; one that exists all the time is not
/// left out.
public struct AssetSequence: AsyncSequence, Sendable {
    /// One asset.
    public typealias Element = Asset

    let assets: AssetClient
    let zone: String

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(assets: assets, zone: zone) }

    /// Reads asset by asset.
    public struct Iterator: AsyncIteratorProtocol {
        private let assets: AssetClient
        private let zone: String
        private var page: [Asset] = []
        private var position = 0
        private var cursor: String?
        private var isLastPage = false

        init(assets: AssetClient, zone: String) {
            self.assets = assets
            self.zone = zone
        }

        /// The next asset; `nil` after the last.
        /// - Throws: ``KairanError``, `CancellationError`.
        public mutating func next() async throws -> Asset? {
            while position == page.count {
                if isLastPage { return nil }
                let fetched = try await assets.page(in: zone, after: cursor, limit: 1_000)
                page = fetched.assets
                position = 0
                cursor = fetched.cursor
                isLastPage = fetched.cursor == nil
            }
            defer { position += 1 }
            return page[position]
        }
    }
}
