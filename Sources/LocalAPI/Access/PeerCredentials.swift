import Glibc
package import NIOCore

/// The credentials of the peer process of a Unix socket, as the kernel recorded them when the connection was made.
package struct PeerCredentials: Sendable, Hashable {
    /// The process.
    package var process: Int32
    /// Its effective user.
    package var user: UInt32
    /// Its effective group.
    package var group: UInt32
    /// Its other groups.
    package var supplementaryGroups: Set<UInt32>

    /// Makes credentials.
    package init(process: Int32, user: UInt32, group: UInt32, supplementaryGroups: Set<UInt32> = []) {
        self.process = process
        self.user = user
        self.group = group
        self.supplementaryGroups = supplementaryGroups
    }

    /// Asks the kernel.
    /// - Parameter channel: A connection of a Unix socket.
    /// - Returns: The credentials, or `nil` when the channel has none; never fails.
    package static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials?> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let identity: EventLoopFuture<KernelCredentials> = options.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        )
        let groups: EventLoopFuture<KernelGroups> = options.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: KernelGroups.option)
        )
        // More groups than the buffer holds are an error of the kernel; in that case only the effective group is
        // used.
        return identity.and(groups.map(\.members).recover { _ in [] })
            .map { PeerCredentials(process: $0.process, user: $0.user, group: $0.group, supplementaryGroups: $1) }
            .recover { _ in nil }
    }
}

/// `struct ucred` of the kernel, which Glibc's module does not show.
private struct KernelCredentials {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
}

/// The value of `SO_PEERGROUPS`: the group numbers, without a count.
///
/// The memory is zeroed beforehand, so the numbers behind the groups are 0, which no policy uses.
private struct KernelGroups {
    /// `SO_PEERGROUPS` of `asm-generic/socket.h`; Glibc's module does not show it.
    static let option: CInt = 59

    var numbers: [256 of UInt32] = InlineArray(repeating: 0)

    var members: Set<UInt32> {
        var members: Set<UInt32> = []
        for index in numbers.indices where numbers[index] != 0 { members.insert(numbers[index]) }
        return members
    }
}
