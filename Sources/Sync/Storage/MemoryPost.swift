import Wire

/// The parcels left on relays, of a store in memory.
struct MemoryPost: Sendable {
    /// In the order in which they were left.
    var parcels: [PostedParcelRow] = []
    /// By device and log.
    var sizes: [DeviceID: [LogKey: UInt64]] = [:]

    mutating func save(_ parcel: PostedParcelRow) {
        if let index = index(of: parcel) {
            parcels[index] = parcel
        } else {
            parcels.append(parcel)
        }
    }

    mutating func remove(_ parcel: PostedParcelRow) {
        if let index = index(of: parcel) { parcels.remove(at: index) }
    }

    private func index(of parcel: PostedParcelRow) -> Int? {
        parcels.firstIndex {
            $0.relay == parcel.relay && $0.device == parcel.device && $0.parcel == parcel.parcel
        }
    }
}
