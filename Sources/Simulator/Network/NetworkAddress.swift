/// The address of a machine.
package struct NetworkAddress: Hashable, Sendable, LosslessStringConvertible {
    /// Stands for an IP address with a port; machines may change theirs.
    package var host: UInt32

    /// Takes a host's number.
    package init(host: UInt32) {
        self.host = host
    }

    /// Reads ``description``; `nil` for anything else.
    package init?(_ text: String) {
        guard text.hasPrefix("host-"), let host = UInt32(text.dropFirst(5)) else { return nil }
        self.init(host: host)
    }

    /// The address as it is stored.
    package var description: String { "host-\(host)" }
}
