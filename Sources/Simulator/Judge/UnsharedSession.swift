/// A session of a process, for as long as its account shares nothing with the node's.
struct UnsharedSession: Hashable {
    var node: Int
    var life: Int
    var session: UInt64
}
