import KairanInterface
import Node

/// A view of the node that the interface shows as one resource.
protocol ResourceView {
    associatedtype Resource: Encodable

    /// The resource, without the names of its accounts, which only the answer to a request adds.
    var resource: Resource { get }

    /// The members that are left out where they have no value, beside those of the resource's own type.
    static var leftOut: Set<String> { get }
}

extension ResourceView {
    static var leftOut: Set<String> { AccountNames.nameMembers }

    /// The resource in the form of the interface.
    var json: JSONValue {
        get throws { try JSONValue(encoding: resource, leavingOut: Self.leftOut) }
    }
}

extension Array: ResourceView where Element: ResourceView {
    var resource: [Element.Resource] { map(\.resource) }

    static var leftOut: Set<String> { Element.leftOut }
}
