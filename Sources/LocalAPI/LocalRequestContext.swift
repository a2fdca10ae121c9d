package import Hummingbird
import NIOCore

/// What goes along with a request.
package struct LocalRequestContext: RequestContext {
    /// What the framework needs.
    package var coreContext: CoreRequestContextStorage
    /// The connection that the request came over.
    let channel: any Channel

    /// Makes the context of a request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
