/// Finds the circles among the dependencies of account entries.
///
/// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1 (1972), with a stack of our
/// own instead of recursion, because a hostile log may be one long chain.
enum DependencyCircles {
    /// Groups of entries that depend on each other, each after all that it depends on; an entry in no circle is a group
    /// by itself.
    /// - Parameter graph: The dependencies.
    /// - Returns: All entries, each in one group.
    /// - Complexity: O(entries + dependencies).
    static func find(in graph: AccountArguments) -> [[Int]] {
        var search = Search(dependencies: zip(graph.supporters, graph.attackers).map { $0 + $1 })
        for index in graph.supporters.indices where search.order[index] == nil {
            search.visit(from: index)
        }
        return search.groups
    }

    private struct Search {
        let dependencies: [[Int]]
        var order: [Int?]
        var groups: [[Int]] = []
        private var low: [Int]
        private var isOpen: [Bool]
        private var open: [Int] = []
        private var counter = 0

        init(dependencies: [[Int]]) {
            self.dependencies = dependencies
            order = Array(repeating: nil, count: dependencies.count)
            low = Array(repeating: 0, count: dependencies.count)
            isOpen = Array(repeating: false, count: dependencies.count)
        }

        mutating func visit(from start: Int) {
            var path = [(node: start, next: 0)]
            enter(start)
            while let (node, next) = path.last {
                guard next < dependencies[node].count else {
                    path.removeLast()
                    if let parent = path.last?.node { low[parent] = min(low[parent], low[node]) }
                    closeGroup(at: node)
                    continue
                }
                path[path.count - 1].next += 1
                let dependency = dependencies[node][next]
                if let seen = order[dependency] {
                    if isOpen[dependency] { low[node] = min(low[node], seen) }
                } else {
                    enter(dependency)
                    path.append((dependency, 0))
                }
            }
        }

        private mutating func enter(_ node: Int) {
            order[node] = counter
            low[node] = counter
            counter += 1
            open.append(node)
            isOpen[node] = true
        }

        /// A node that reaches nothing older than itself is the oldest of its group.
        private mutating func closeGroup(at node: Int) {
            guard low[node] == order[node] else { return }
            var group: [Int] = []
            while let member = open.popLast() {
                isOpen[member] = false
                group.append(member)
                if member == node { break }
            }
            groups.append(group)
        }
    }
}
