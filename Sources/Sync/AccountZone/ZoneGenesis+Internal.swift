package import Records
package import Wire

// Zones for the node's own use, which people and programs neither see nor make.
extension ZoneGenesis {
    /// The prefix of the names of the containers that the node keeps for itself, compared byte for byte.
    package static let internalContainerPrefix = "kairan."

    /// Whether a container is one of those that the node keeps for itself.
    package static func isReserved(container: String) -> Bool {
        container.utf8.starts(with: internalContainerPrefix.utf8)
    }

    /// Whether the zone's container is one of those that the node keeps for itself.
    package var isInternal: Bool { Self.isReserved(container: container) }
}

extension ZoneRow {
    /// Whether the zone is the node's own business.
    package var isInternal: Bool { genesis.isInternal }
}
