import KairanClient

// Assets by the beginning of an id, as tables print them.
extension AssetCommand {
    private static let idCharacterCount = 52
    /// The choice among the ids that begin with a text.
    static let choice = ChosenID(noun: "asset", list: "kairan asset ls", characterCountMin: 8)

    /// Finds the asset that a text stands for, among those of records and those that no record names any more.
    /// - Parameters:
    ///   - text: A whole id, or at least eight characters of the beginning of one.
    ///   - session: Asks the daemon.
    /// - Returns: The whole id; whether there is an asset with a whole id is not checked.
    /// - Throws: ``InputError`` for no asset and for several, `KairanError`, `CancellationError`.
    /// - Complexity: O(assets) for a beginning.
    static func id(_ text: String, _ session: Session) async throws -> String {
        guard text.utf8.count < idCharacterCount else { return text }
        var found: Set<String> = []
        if text.utf8.count >= choice.characterCountMin {
            let assets = session.client.assets
            for zone in try await session.client.zones() {
                for try await asset in assets.all(in: zone.zone) where asset.asset.hasPrefix(text) {
                    found.insert(asset.asset)
                }
            }
            do {
                let unnamed = try await assets.collect(dryRun: true)
                found.formUnion(unnamed.assets.map(\.asset).filter { $0.hasPrefix(text) })
            } catch let error as KairanError where error.kind == .refused {
                // An application may not list these; it finds those of its records.
            }
        }
        return try choice.choose(text, among: found.sorted()) { $0 }
    }
}
