package import Hummingbird
import NIOCore

/// What goes along with a request.
package struct LocalRequestContext: RequestContext {
    /// What the framework needs.
    package var coreContext: CoreRequestContextStorage
    /// The connection that the request came over.
    let channel: any Channel
    /// Who is at its other end; nobody until the server says so.
    package var caller = Caller.other(seesStatus: false)
    /// In which role the request is made; that of nobody until it is found out.
    var role = Role.other(seesStatus: false)

    /// Makes the context of a request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Waits until the connection's event loop has taken what was written.
    ///
    /// The loop is what finds out that the socket takes no more, and makes the writer wait. On a busy machine it comes late, and until then
    /// all parts of a long answer would gather in memory.
    func taken() async throws {
        try await channel.eventLoop.submit {}.get()
    }
}
