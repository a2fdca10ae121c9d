import Identity
import Wire

/// The zones of a simulation, by number.
enum SimulatedZone {
    static let owner = AccountID([UInt8](repeating: 0xA0, count: 32)) ?? .zero
    static let tagKey = [UInt8](repeating: 0x5A, count: 32)

    static func genesis(_ number: Int) -> ZoneGenesis {
        ZoneGenesis(
            owner: owner,
            container: "org.example.notes",
            name: "zone \(number)",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
    }

    static func id(_ number: Int) -> ZoneID { ZoneID(genesis(number)) }
}
