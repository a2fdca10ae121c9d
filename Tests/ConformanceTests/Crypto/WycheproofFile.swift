/// A Wycheproof file: groups of tests, flattened here to pairs of a group and a test.
struct WycheproofFile<Group: WycheproofGroup>: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]

    var pairs: [(group: Group, test: Group.Test)] {
        testGroups.flatMap { group in group.tests.map { (group, $0) } }
    }
}

protocol WycheproofGroup: Decodable {
    associatedtype Test: Decodable
    var tests: [Test] { get }
}

enum WycheproofResult: String, Decodable {
    case valid
    case invalid
    case acceptable
}
