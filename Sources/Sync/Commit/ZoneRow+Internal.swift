package import Records
package import Wire

extension ZoneRow {
    /// Whether the zone is the node's own business, which people and programs do not see.
    package var isInternal: Bool { genesis.isInternal }
}

extension ZoneGenesis {
    /// Whether the zone's container is one of those that the node keeps for itself.
    package var isInternal: Bool { Self.isReserved(container: container) }

    /// Whether a container is one of those that the node keeps for itself: its name begins with `kairan.`, byte for byte.
    package static func isReserved(container: String) -> Bool {
        container.utf8.starts(with: "kairan.".utf8)
    }
}
