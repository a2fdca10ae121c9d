/// Why a request is refused before the node sees it.
package enum AccessRefusal: Error, Sendable, Hashable {
    /// No containers are bound to the process.
    case callerUnknown
    /// The application must present a token and did not.
    case tokenMissing
    /// The token belongs to no application that is bound to the process.
    case tokenUnknown
    /// No application may do this.
    case adminOnly
    /// The application may only read.
    case readOnly(application: String)
    /// The container is not the application's.
    case containerForeign(application: String)
}

extension AccessRefusal: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .callerUnknown: "no application is bound to the process"
        case .tokenMissing: "the application presented no token"
        case .tokenUnknown: "the token belongs to no application that is bound to the process"
        case .adminOnly: "no application may do this"
        case .readOnly(let application): "the application \(application) may only read"
        case .containerForeign(let application): "the container is not one of the application \(application)"
        }
    }
}
