import Peering

/// A way to a peer over the network.
typealias PeerRoute = Peering.PeerRoute<PeerAddress>
