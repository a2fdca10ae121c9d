import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension AccountNames {
    /// The members whose values are ids of accounts.
    private static let members: Set<String> = ["account", "from", "owner", "by", "pair_with"]

    /// The members with the names of these accounts.
    static let nameMembers = Set(members.map(nameMember))

    private static func nameMember(_ member: String) -> String { member + "_name" }

    /// Puts the name of each account behind its id: `account_name` behind `account`, and so on; null where it has none.
    ///
    /// For answers made by the daemon, never for records: the field names of records belong to their programs.
    /// - Parameter json: The answer.
    /// - Returns: The answer with the names.
    /// - Complexity: O(size of the answer).
    func named(_ json: JSONValue) -> JSONValue {
        switch json {
        case .array(let elements): return .array(elements.map(named))
        case .object(let members):
            return .object(
                members.flatMap { member -> [JSONMember] in
                    guard Self.members.contains(member.name) else {
                        return [JSONMember(member.name, named(member.value))]
                    }
                    switch member.value {
                    case .string(let text):
                        let name = AccountID(text: text).flatMap { self[$0].name }
                        return [member, JSONMember(Self.nameMember(member.name), JSONValue(name))]
                    case .null: return [member, JSONMember(Self.nameMember(member.name), .null)]
                    default: return [JSONMember(member.name, named(member.value))]
                    }
                }
            )
        default: return json
        }
    }
}

extension RouteAccess {
    /// A JSON answer with the names of the accounts in it.
    func named(_ json: JSONValue, status: HTTPResponse.Status = .ok) async throws -> Response {
        .json(try await node.naming.accountNames().named(json), status: status)
    }

    /// A view of the node as a JSON answer, with the names of the accounts in it.
    func named(_ view: some ResourceView, status: HTTPResponse.Status = .ok) async throws -> Response {
        try await named(try view.json, status: status)
    }
}
