import Records
import Sync
import Wire

// A program names an asset by its id; the record that is written has its size and secret too.
extension RecordWrite {
    /// Returns the write with the size and the secret of each asset that it names.
    ///
    /// An element that leaves a set and that the zone does not know is in no set: it is left out.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - committer: The committer.
    ///   - transaction: The store; the named assets are kept in it.
    /// - Returns: The write to make.
    /// - Throws: `NodeError` `assetUnknown` with the field, and the errors of the store.
    func resolvingAssets(
        zone: ZoneID,
        by committer: Committer,
        in transaction: inout any NodeTransaction
    ) throws -> RecordWrite {
        guard namesAssets else { return self }
        var resolver = AssetResolver(zone: zone, assets: Assets(committer), known: [:])
        var write = self
        write.set = []
        for assignment in self.set {
            let value = try resolver.resolved(assignment.value, assignment.field, of: name, in: &transaction)
            write.set.append(FieldAssignment(field: assignment.field, value: value))
        }
        write.insertions = []
        for insertion in insertions {
            var values: [FieldValue] = []
            for value in insertion.values {
                values.append(try resolver.resolved(value, insertion.field, of: name, in: &transaction))
            }
            write.insertions.append(SetElements(field: insertion.field, values: values))
        }
        write.withdrawals = []
        for withdrawal in withdrawals {
            var values: [FieldValue] = []
            for value in withdrawal.values {
                if let value = try resolver.resolvedIfKnown(value, in: &transaction) { values.append(value) }
            }
            write.withdrawals.append(SetElements(field: withdrawal.field, values: values))
        }
        return write
    }

    private var namesAssets: Bool {
        self.set.contains { $0.value.hasUnresolvedAsset }
            || (insertions + withdrawals).contains { $0.values.contains { $0.hasUnresolvedAsset } }
    }
}

extension FieldValue {
    /// Whether it is, or contains, an asset that is named by its id alone.
    fileprivate var hasUnresolvedAsset: Bool {
        switch self {
        case .asset(let asset): !asset.isResolved
        case .list(let elements): elements.contains { $0.hasUnresolvedAsset }
        case .set(let state): state.entries.contains { $0.element.hasUnresolvedAsset }
        default: false
        }
    }
}

/// Finds the sizes and secrets of the assets that one write names.
private struct AssetResolver {
    let zone: ZoneID
    let assets: Assets
    /// The assets that were found.
    var known: [PayloadID: AssetDescriptor]

    /// Returns a value with its assets resolved.
    /// - Throws: `NodeError` `assetUnknown`.
    mutating func resolved(
        _ value: FieldValue,
        _ field: String,
        of record: String,
        in transaction: inout any NodeTransaction
    ) throws -> FieldValue {
        switch value {
        case .asset(let asset) where !asset.isResolved:
            guard let found = try resolve(asset, in: &transaction) else {
                throw NodeError.assetUnknown(asset.payload, field: field, record: record)
            }
            return .asset(found)
        case .list(let elements):
            var values: [FieldValue] = []
            values.reserveCapacity(elements.count)
            for element in elements { values.append(try resolved(element, field, of: record, in: &transaction)) }
            return .list(values)
        case .set(let state):
            // Two that differ in the size alone, which is not looked at, are one.
            var dots: [FieldValue: [Dot]] = [:]
            for entry in state.entries {
                let element = try resolved(entry.element, field, of: record, in: &transaction)
                dots[element] = entry.dots
            }
            return .set(SetState(entries: dots.map { SetState.Entry(element: $0.key, dots: $0.value) }))
        default: return value
        }
    }

    /// Returns an element of a set with its asset resolved; `nil` where the zone does not know it.
    mutating func resolvedIfKnown(
        _ value: FieldValue,
        in transaction: inout any NodeTransaction
    ) throws -> FieldValue? {
        guard case .asset(let asset) = value, !asset.isResolved else { return value }
        return try resolve(asset, in: &transaction).map(FieldValue.asset)
    }

    /// Returns an asset with its size and secret; the rest of it is as the program describes it.
    private mutating func resolve(
        _ asset: AssetDescriptor,
        in transaction: inout any NodeTransaction
    ) throws -> AssetDescriptor? {
        if let found = known[asset.payload] {
            var asset = asset
            (asset.size, asset.secret) = (found.size, found.secret)
            return asset
        }
        let found = try assets.resolve(asset, zone: zone, in: &transaction)
        known[asset.payload] = found
        return found
    }
}
