import KairanClient

extension Zone {
    /// A zone of one's own without records.
    static func sample(_ zone: String, name: String = "n", container: String = "c") -> Zone {
        Zone(
            zone: zone,
            name: name,
            container: container,
            kind: .custom,
            pairWith: nil,
            database: .private,
            owner: "me",
            isOwn: true,
            rights: .admin,
            publicAccess: PublicAccess(world: [], authenticated: [], creator: [], link: nil),
            records: 0,
            internalRecords: 0,
            epoch: nil,
            digest: "",
            peers: []
        )
    }
}
