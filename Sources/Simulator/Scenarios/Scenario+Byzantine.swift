extension Scenario {
    /// A batch with one faulty operation.
    static let poisonedBatch = Scenario(
        name: "poisoned-batch",
        summary: "one operation of a batch is malformed, or its body or tag does not match: no part is applied",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 2)
            options.faults = [.cut, .byzantine]
            options.faultsPerMinute *= 3
        },
        script: { history in
            history.faults.misdeeds = [.wrongBody, .wrongTag, .brokenBatch, .malformedBody, .inflatedVector]
            try history.play()
        }
    )

    /// A member that breaks the protocol on purpose.
    static let byzantine = Scenario(
        name: "byzantine",
        summary: "a member forks its log, withholds, sends invalid data, inflates vectors and sizes",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = [.cut, .restart, .byzantine]
            options.faultsPerMinute *= 3
        },
        script: { try $0.play() }
    )
}
