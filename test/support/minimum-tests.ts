/** Floor of executed tests with ../shared present: a runner that finds fewer has lost some. */
export const minimumTests = 3_900;
