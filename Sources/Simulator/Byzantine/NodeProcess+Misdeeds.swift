import Session

extension NodeProcess {
    /// Sends bytes that need not be a message.
    func sendRaw(_ bytes: [UInt8], to end: ChannelEnd) {
        var sealed: [UInt8] = []
        do {
            try end.core.send(message: bytes, into: &sealed)
        } catch {
            // The channel is over: there is no peer left.
            return
        }
        simulation.network.send(sealed, on: end.connection, side: end.side)
    }
}
