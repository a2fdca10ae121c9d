package import Hummingbird
import NIOCore

/// The context of a request.
package struct LocalRequestContext: RequestContext {
    /// The storage that the framework needs.
    package var coreContext: CoreRequestContextStorage
    /// The connection that the request came over.
    let channel: any Channel
    /// The peer process of the connection; a caller without access until the server sets it.
    package var caller = Caller.other(seesStatus: false)
    /// The role of the request; that of a caller without access until it is determined.
    var role = Role.other(seesStatus: false)

    /// Makes the context of a request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Waits until the connection's event loop has taken the written bytes.
    ///
    /// Only the loop finds out that the socket takes no more, and makes the writer wait. On a busy machine it comes
    /// late, and until then all parts of a long answer would gather in memory.
    func taken() async throws {
        try await channel.eventLoop.submit {}.get()
    }
}
