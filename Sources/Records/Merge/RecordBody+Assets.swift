package import Wire

extension RecordBody {
    /// The assets that the record holds, ascending by payload, each payload once.
    ///
    /// Those of all surviving values, also where the values of a field disagree, and those in lists and sets. Where two values name one
    /// payload, the first in the order of the body describes it. A deleted record holds none.
    /// - Complexity: O(fields and their values).
    package var assets: [AssetDescriptor] {
        guard !isDeleted else { return [] }
        var found: [PayloadID: AssetDescriptor] = [:]
        for field in fields {
            for entry in field.entries { entry.value.addAssets(to: &found) }
        }
        return found.isEmpty ? [] : found.values.sorted { $0.payload < $1.payload }
    }
}

extension FieldValue {
    /// Adds the assets in the value, a list's and a set's included.
    fileprivate func addAssets(to found: inout [PayloadID: AssetDescriptor]) {
        switch self {
        case .asset(let descriptor):
            if found[descriptor.payload] == nil { found[descriptor.payload] = descriptor }
        case .list(let items):
            for item in items { item.addAssets(to: &found) }
        case .set(let state):
            for entry in state.entries { entry.element.addAssets(to: &found) }
        case .null, .string, .int64, .double, .bool, .bytes, .date, .location, .reference, .anchor, .counter, .unknown:
            break
        }
    }
}
